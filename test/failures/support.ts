import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect } from 'vitest';
import { BOUND_MS } from '../../src/db/changes.ts';
import {
  addUser,
  makeDatabase,
  type Owner,
  PASSWORD,
  type Place,
  type Service,
  startService,
} from '../lifecycle/support.ts';
import type { Client, Reply } from '../support/client.ts';
import { freshDatabase } from '../support/each-database.ts';

const USERS = ['ada', 'bea', 'cleo'];
const VISITORS = 3;
const CHECKS_A_VISIT = 4;
/** Additional time between a reply and reading the clock on a busy machine. */
const SLACK_MS = 250;

/** Counts the requests under load, and records what the replies promised. */
export class Ledger {
  /** Sealed ids of sessions whose sign-in was acknowledged, and for which no sign-out was sent. */
  readonly held = new Set<string>();
  /** Sealed ids of sessions whose sign-out was acknowledged, with the time of the acknowledgement. */
  readonly ended = new Map<string, number>();
  checks = 0;
  /** Replies with status 503, in which the service says that it cannot answer. */
  outages = 0;
  /** Connections that ended without a reply, because a process was killed. */
  cutOff = 0;
  /** Replies that must never occur. */
  readonly lies: string[] = [];

  summary(): string {
    const { held, ended, checks, outages, cutOff, lies } = this;
    return `${held.size + ended.size} sign-ins and ${ended.size} sign-outs acknowledged, ${checks} checks answered, ${outages} outages reported, ${cutOff} connections cut, ${lies.length} wrong answers`;
  }
}

const cookieOf = (client: Client): string => client.jar.get('session_id') ?? '';

function withCookie(service: Service, session: string): Client {
  const client = service.client();
  client.jar.set('session_id', session);
  return client;
}

/** Records an unsuccessful reply. It counts as an outage if its status is 503, and as a lie otherwise. */
function noteRefusal(ledger: Ledger, what: string, { status, text }: Reply): void {
  if (status === 503) ledger.outages += 1;
  else ledger.lies.push(`${what}: ${status} ${text.slice(0, 200)}`);
}

async function check(ledger: Ledger, service: Service, session: string, expected: boolean): Promise<void> {
  const asked = performance.now();
  const endedAt = ledger.ended.get(session);
  const reply = await withCookie(service, session).get('/authsvc/api/checkSession');
  if (reply.status !== 200) return noteRefusal(ledger, 'check', reply);
  ledger.checks += 1;
  const isValid = reply.body.session_valid === true;
  if (isValid === expected) return;
  if (expected) ledger.lies.push('a signed-in person was reported as signed out');
  else if (endedAt !== undefined && asked - endedAt > BOUND_MS) {
    ledger.lies.push(`a session counted ${Math.round(asked - endedAt)} ms after its end was acknowledged`);
  }
}

async function visit(ledger: Ledger, pick: () => Service, username: string): Promise<void> {
  const client = pick().client();
  const _csrf = await client.csrf();
  const reply = await client.login({ username, password: PASSWORD });
  if (reply.status !== 200) return noteRefusal(ledger, 'sign-in', reply);
  const session = cookieOf(client);
  ledger.held.add(session);
  for (let i = 0; i < CHECKS_A_VISIT; i += 1) {
    await check(ledger, pick(), session, true);
    const past = [...ledger.ended.keys()];
    const other = past[randomInt(Math.max(1, past.length))];
    if (other) await check(ledger, pick(), other, false);
  }
  if (randomInt(2) === 0) return;
  ledger.held.delete(session);
  const out = withCookie(pick(), session);
  for (const [name, value] of client.jar) out.jar.set(name, value);
  const done = await out.post('/authsvc/api/logout', { _csrf });
  if (done.status === 200) ledger.ended.set(session, performance.now());
  else noteRefusal(ledger, 'sign-out', done);
}

const isCutOff = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['ECONNRESET', 'ECONNREFUSED', 'EPIPE'].includes(String(error.code));

/** Signs browsers in and out at these services until `stop` is called. `services` is called for each request. */
function startLoad(services: () => readonly Service[], ledger = new Ledger()) {
  let isOver = false;
  const pick = (): Service => {
    const all = services();
    const one = all[randomInt(all.length)];
    if (!one) throw new Error('there is no service left');
    return one;
  };
  const comeAndGo = async (at: number) => {
    while (!isOver) {
      await visit(ledger, pick, USERS[at % USERS.length] ?? '').catch((error: unknown) => {
        if (!isCutOff(error)) throw error;
        ledger.cutOff += 1;
      });
      await sleep(20);
    }
  };
  const visitors = Promise.all(Array.from({ length: VISITORS }, (_, at) => comeAndGo(at)));
  visitors.catch(() => undefined);
  return {
    ledger,
    /** Waits until this many more sign-ins were acknowledged. */
    atLeast: async (more: number) => {
      const enough = ledger.held.size + ledger.ended.size + more;
      const told = () => `${ledger.summary()}; ${ledger.lies.join(', ')}`;
      await Promise.race([visitors, eventually(async () => ledger.held.size + ledger.ended.size >= enough, told)]);
    },
    /** Waits until this many more outages were reported. */
    outages: async (more: number) => {
      const enough = ledger.outages + more;
      await Promise.race([
        visitors,
        eventually(
          async () => ledger.outages >= enough,
          () => ledger.summary(),
        ),
      ]);
    },
    stop: async () => {
      isOver = true;
      await visitors;
    },
  };
}

/** Waits until a condition is true, for up to a minute. */
export async function eventually(holds: () => Promise<boolean>, told = () => ''): Promise<void> {
  const end = performance.now() + 60_000;
  while (!(await holds().catch(() => false))) {
    if (performance.now() > end) throw new Error(`it did not become true within a minute: ${told()}`);
    await sleep(50);
  }
}

/**
 * Checks at each service that the sessions of `held` are valid and the sessions of `ended` are not. Prints the counts.
 */
export async function expectPromisesKept(name: string, services: readonly Service[], ledger: Ledger): Promise<void> {
  await sleep(BOUND_MS + SLACK_MS);
  let held = 0;
  let undone = 0;
  for (const service of services) {
    for (const session of ledger.held) held += (await withCookie(service, session).isSignedIn()) ? 1 : 0;
    for (const session of ledger.ended.keys()) undone += (await withCookie(service, session).isSignedIn()) ? 1 : 0;
  }
  const asked = ledger.held.size * services.length;
  process.stderr.write(
    `${name}: ${ledger.summary()}; afterwards ${held} of ${asked} sessions count, ${undone} ended ones\n`,
  );
  expect(ledger.lies).toEqual([]);
  expect([held, undone]).toEqual([asked, 0]);
}

/** Adds the users of the load with the command line. */
export async function addUsers(t: Owner, place: Place): Promise<void> {
  await makeDatabase(t, place);
  for (const name of USERS) await addUser(t, place, name);
}

/** Returns the settings of services under load, with a folder for their files. */
export async function placeAt(t: Owner, url: string, settings: Record<string, string> = {}): Promise<Place> {
  const { folder, drop } = await freshDatabase('sqlite');
  t.onTestFinished(drop);
  return { url, folder, settings: { MAX_SESSIONS_PER_USER: '10000', LOG_LEVEL: 'info', ...settings } };
}

interface Arrangement {
  count?: number;
  settings?: Record<string, string>;
  /** Whether to wait until the change feed of each service works. */
  isFed?: boolean;
}

/** Starts services with users on a database, and browsers that sign in and out there. */
export async function startUnderLoad(t: Owner, url: string, { count = 2, settings, isFed = true }: Arrangement = {}) {
  const place = await placeAt(t, url, settings);
  await addUsers(t, place);
  const services: Service[] = [];
  for (let i = 0; i < count; i += 1) services.push(await startService(t, place));
  if (isFed) await Promise.all(services.map((service) => feedAlive(service)));
  return { place, services, load: startLoad(() => services) };
}

/** Runs SQL as the superuser of a server. */
export async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query(text).finally(() => client.end());
  return rows;
}

/** Waits until the change feed of a service has started this many times. */
export const feedAlive = (service: Service, times = 1): Promise<void> =>
  eventually(async () => service.stdout().split('the change feed is alive').length > times);
