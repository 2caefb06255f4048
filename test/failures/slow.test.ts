import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect, test, vi } from 'vitest';
import { type Owner, PASSWORD, startService } from '../lifecycle/support.ts';
import { type DatabaseKind, freshDatabase } from '../support/each-database.ts';
import { addUsers, eventually, feedAlive, placeAt, query } from './support.ts';

vi.setConfig({ testTimeout: 180_000 });

/**
 * The longest time for a request while the database is slow. A sign-in waits for a connection to count the guess, for
 * another to write the session, and for that write. Each wait takes at most five seconds.
 */
const MAX_AGE_MS = 16_000;
/** The longest time for a request that needs no database, on a busy machine. */
const AT_ONCE_MS = 2000;
const SIGN_INS = 6;

/** Starts a service, and a browser that is signed in and whose session the service has cached. */
async function startSignedIn(t: Owner, kind: DatabaseKind) {
  const fresh = await freshDatabase(kind);
  t.onTestFinished(fresh.drop);
  const place = await placeAt(t, fresh.url, { DATABASE_POOL_MAX: '2' });
  await addUsers(t, place);
  const service = await startService(t, place);
  if (kind === 'postgres') await feedAlive(service);
  const client = service.client();
  const csrf = await client.csrf();
  const signIn = () => service.client().login({ username: 'bea', password: PASSWORD });
  await client.login({ username: 'ada', password: PASSWORD });
  for (let i = 0; i < 3; i += 1) expect(await client.isSignedIn()).toBe(true);
  return { url: fresh.url, service, client, csrf, signIn };
}

type Started = Awaited<ReturnType<typeof startSignedIn>>;

const slowest = (times: readonly number[]): number => Math.round(Math.max(...times));

/** Sends sign-ins and a sign-out, which cannot complete now, and meanwhile requests that need no write. */
async function askMeanwhile({ client, csrf, signIn }: Started) {
  const from = performance.now();
  const logout = client.post('/authsvc/api/logout', { _csrf: csrf });
  const writes = [logout, ...Array.from({ length: SIGN_INS }, signIn)].map(async (asked) => {
    const reply = await asked;
    return { reply, ms: performance.now() - from };
  });
  await sleep(300);
  const times: number[] = [];
  for (let i = 0; i < 20; i += 1) {
    const asked = performance.now();
    expect(await client.isSignedIn()).toBe(true);
    expect((await client.get('/healthz')).status).toBe(200);
    times.push(performance.now() - asked);
  }
  const told = await Promise.all(writes);
  return {
    readySlowest: slowest(times),
    writesSlowest: slowest(told.map(({ ms }) => ms)),
    statuses: told.map(({ reply }) => reply.status),
    cookies: told.flatMap(({ reply }) => reply.cookies.filter((cookie) => cookie.name === 'session_id')),
  };
}

async function expectPatience(name: string, started: Started): Promise<void> {
  const { readySlowest, writesSlowest, statuses, cookies } = await askMeanwhile(started);
  process.stderr.write(
    `${name}: 20 checks and looks at the health answered, the slowest two in ${readySlowest} ms; ${statuses.length} writes reported as outages within ${writesSlowest} ms\n`,
  );
  expect(statuses).toEqual(statuses.map(() => 503));
  expect(cookies).toEqual([]);
  expect(readySlowest).toBeLessThan(AT_ONCE_MS);
  expect(writesSlowest).toBeLessThan(MAX_AGE_MS);
}

test('another process holds the SQLite write lock: session checks are answered at once, writes are reported as outages', async (t) => {
  const started = await startSignedIn(t, 'sqlite');
  const { url, service, client, signIn } = started;
  const other = new DatabaseSync(url.slice('sqlite:'.length));
  t.onTestFinished(async () => other.close());
  const sessions = () => other.prepare('select count(*) as count from sessions').get();

  other.exec('begin immediate');
  await expectPatience('SQLite held by another writer', started);
  other.exec('rollback');

  expect(sessions()).toEqual({ count: 1 });
  const again = performance.now();
  expect((await signIn()).status).toBe(200);
  expect(performance.now() - again).toBeLessThan(AT_ONCE_MS);
  other.exec('begin immediate');
  const waiting = signIn();
  await sleep(1000);
  other.exec('rollback');
  expect((await waiting).status).toBe(200);
  expect(sessions()).toEqual({ count: 3 });
  expect((await client.logout()).status).toBe(200);
  expect(await service.stop()).toEqual({ code: 0, signal: null });
});

test('PostgreSQL takes ten seconds for each write: checks of cached sessions are answered, and no write is half done afterwards', async (t) => {
  const started = await startSignedIn(t, 'postgres');
  const { url, service, client, signIn } = started;
  const brake = (seconds: number) => query(url, `update brake set seconds = ${seconds}`);
  await query(
    url,
    `create table brake as select 0 as seconds;
     create function slow_down() returns trigger language plpgsql as
       'begin perform pg_sleep(seconds) from brake; return coalesce(new, old); end';
     create trigger slow before insert or delete on sessions for each row execute function slow_down()`,
  );

  await brake(10);
  await expectPatience('PostgreSQL slow', started);
  await brake(0);
  const again = performance.now();
  expect((await signIn()).status).toBe(200);
  expect(performance.now() - again).toBeLessThan(MAX_AGE_MS);

  await eventually(
    async () => (await query(url, "select 1 from pg_stat_activity where wait_event = 'PgSleep'")).length === 0,
  );
  expect(await query(url, 'select count(*)::integer as count from sessions')).toEqual([{ count: 2 }]);
  expect(await client.isSignedIn()).toBe(true);
  expect((await client.get('/readyz')).status).toBe(200);
  expect((await client.logout()).status).toBe(200);
  expect(await service.stop()).toEqual({ code: 0, signal: null });
});
