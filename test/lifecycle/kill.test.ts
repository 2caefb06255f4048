import { randomInt } from 'node:crypto';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { openDatabase } from '../../src/db/open.ts';
import type { Client } from '../support/client.ts';
import { eachDatabase, freshDatabase } from '../support/each-database.ts';
import { addUser, makeDatabase, PASSWORD, type Place, type Service, startService } from './support.ts';

/**
 * How often the server is killed. Ten logins are acknowledged before each kill. Set AUTHSVC_TEST_KILLS=20 for a thorough
 * run.
 */
const KILLS = Number(process.env.AUTHSVC_TEST_KILLS ?? 4);
const LOGINS_A_KILL = 10;
const AT_ONCE = 4;
const CHECKS_AT_ONCE = 8;

vi.setConfig({ testTimeout: 60_000 + KILLS * 20_000 });

/** The sign-ins and sign-outs that the service has acknowledged, by sealed session id. */
interface Promises {
  signedIn: Set<string>;
  signedOut: Set<string>;
}

const sessionOf = (client: Client) => client.jar.get('session_id') ?? '';

/**
 * Acts as one browser: signs in and, half of the time, signs out again. Requests that the kill interrupts are not
 * acknowledged.
 */
async function visit(service: Service, user: string, { signedIn, signedOut }: Promises): Promise<void> {
  const client = service.client();
  const _csrf = await client.csrf();
  const reply = await client.login({ username: user, password: PASSWORD });
  if (reply.status !== 200) throw new Error(`the login was answered with ${reply.status}: ${reply.text}`);
  const session = sessionOf(client);
  signedIn.add(session);
  if (randomInt(2) === 0) return;
  signedIn.delete(session);
  const { status } = await client.post('/authsvc/api/logout', { _csrf });
  if (status !== 200) throw new Error(`the logout was answered with ${status}`);
  signedOut.add(session);
}

const count = ({ signedIn, signedOut }: Promises) => signedIn.size + signedOut.size;

/**
 * Lets browsers sign in and out until enough requests were acknowledged. A moment later it kills the server while they
 * work.
 */
async function visitAndKill(service: Service, users: string[], promises: Promises): Promise<void> {
  const enough = count(promises) + LOGINS_A_KILL;
  const comeAndGo = async (at: number) => {
    while (service.isRunning()) {
      await visit(service, users[at % users.length] ?? '', promises).catch((error: unknown) => {
        if (service.isRunning() && !isCutOff(error)) throw error;
      });
    }
  };
  const visitors = Array.from({ length: AT_ONCE }, (_, at) => comeAndGo(at));
  const kill = async () => {
    while (count(promises) < enough && service.isRunning()) await sleep(5);
    await sleep(randomInt(80));
    service.signal('SIGKILL');
    await service.ended;
  };
  await Promise.all([kill(), ...visitors]);
}

const isCutOff = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['ECONNRESET', 'ECONNREFUSED', 'EPIPE'].includes(String(error.code));

/** Counts how many of these sessions the service calls valid. */
async function countValid(service: Service, sessions: ReadonlySet<string>): Promise<number> {
  const waiting = [...sessions];
  let valid = 0;
  const work = async () => {
    for (let session = waiting.pop(); session !== undefined; session = waiting.pop()) {
      const client = service.client();
      client.jar.set('session_id', session);
      if (await client.isSignedIn()) valid += 1;
    }
  };
  await Promise.all(Array.from({ length: CHECKS_AT_ONCE }, work));
  return valid;
}

/**
 * Compares the audit log with the sessions. Every session that was opened or ended has its event, and no event is about
 * another session.
 */
async function expectAuditLogToMatch(url: string): Promise<void> {
  const database = await openDatabase(url, { max: 1, isPatient: true, onTrouble: () => undefined });
  const refs = async (event: string) => {
    const rows = await database.kysely
      .selectFrom('audit_events')
      .select('session_ref')
      .where('event', '=', event)
      .execute();
    return rows.map(({ session_ref }) => session_ref ?? '');
  };
  const [opened, ended] = [await refs('user.signed_in'), new Set(await refs('session.ended'))];
  const sessions = await database.kysely.selectFrom('sessions').select('ref').execute();
  await database.close();
  expect(opened.filter((ref) => !ended.has(ref)).sort()).toEqual(sessions.map(({ ref }) => ref).sort());
  expect(opened).toHaveLength(ended.size + sessions.length);
}

eachDatabase(`killed ${KILLS} times at random moments`, (kind) => {
  test('every acknowledged sign-in stays valid, and every acknowledged sign-out stays in effect', async (t) => {
    const fresh = await freshDatabase(kind);
    t.onTestFinished(fresh.drop);
    const place: Place = { ...fresh, settings: { MAX_SESSIONS_PER_USER: '10000', LOG_LEVEL: 'info' } };
    // A sign-in that a kill interrupts stays counted as a guess for a while, so the users take turns.
    const users = Array.from({ length: KILLS + 2 }, (_none, at) => `user-${at}`);
    await makeDatabase(t, place);
    for (const user of users) await addUser(t, place, user);
    const promises: Promises = { signedIn: new Set(), signedOut: new Set() };

    for (let i = 0; i < KILLS; i += 1) {
      await visitAndKill(await startService(t, place), users.slice(i, i + 3), promises);
    }

    const service = await startService(t, place);
    expect(count(promises)).toBeGreaterThanOrEqual(KILLS * LOGINS_A_KILL);
    expect(await countValid(service, promises.signedIn)).toBe(promises.signedIn.size);
    expect(await countValid(service, promises.signedOut)).toBe(0);
    expect(promises.signedIn.size).toBeGreaterThan(0);
    expect(promises.signedOut.size).toBeGreaterThan(0);
    await service.stop();
    await expectAuditLogToMatch(fresh.url);
    process.stderr.write(
      `killed ${KILLS} times on ${kind}: ${promises.signedIn.size} sign-ins and ${promises.signedOut.size} sign-outs held\n`,
    );
  });
});
