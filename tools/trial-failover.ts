// Tries authsvc on PostgreSQL with Patroni: npm run trial:failover. Runs three nodes, etcd, HAProxy and PgBouncer on
// loopback, two services, and people who sign in, check their sessions and sign out. In three scenarios it kills the
// leader, switches over, and cuts the leader's network. Prints one JSON line with three figures for each scenario:
// acknowledged sign-ins and sign-outs, how many of them were lost, and for how many seconds no one could sign in. Exits
// with 1 if a goal is missed, and with 2 and one line if a tool is missing.
import { randomInt } from 'node:crypto';
import { chown, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  addUser,
  makeDatabase,
  type Owner,
  PASSWORD,
  type Place,
  type Service,
  startService,
} from '../test/lifecycle/support.ts';
import { findAccount } from '../test/support/postgres.ts';
import { exitWith } from './exit-with.ts';
import { type Cluster, missingTools, startCluster } from './failover/cluster.ts';

const PEOPLE = ['ada', 'bea', 'cleo'];
const VISITORS = 4;
/** The longest time for which a cached answer may be used. */
const BOUND_MS = 2000;
const GOALS = { kill: 30, switchover: 5, cut: 30 };

/** Counts what the services acknowledged, and what was lost. */
class Ledger {
  readonly held = new Set<string>();
  readonly ended = new Map<string, number>();
  acknowledged = 0;
  /** How often a service called an ended session valid, although it ended more than BOUND_MS ago. */
  revived = 0;
  longestOutMs = 0;
  #lastSignIn = performance.now();

  /** Starts a new measurement of the time in which no one could sign in. */
  start(): void {
    this.acknowledged = 0;
    this.longestOutMs = 0;
    this.#lastSignIn = performance.now();
  }

  signedIn(session: string): void {
    const now = performance.now();
    this.longestOutMs = Math.max(this.longestOutMs, now - this.#lastSignIn);
    this.#lastSignIn = now;
    this.acknowledged += 1;
    this.held.add(session);
  }

  signedOut(session: string): void {
    this.acknowledged += 1;
    this.ended.set(session, performance.now());
  }
}

const withCookie = (service: Service, session: string) => {
  const client = service.client();
  client.jar.set('session_id', session);
  return client;
};

const pick = <T>(all: readonly T[]): T => {
  const one = all[randomInt(Math.max(1, all.length))];
  if (one === undefined) throw new Error('there is nothing to pick from');
  return one;
};

async function checkEnded(ledger: Ledger, services: readonly Service[]): Promise<void> {
  const past = [...ledger.ended.keys()];
  if (past.length === 0) return;
  const session = pick(past);
  const [asked, endedAt] = [performance.now(), ledger.ended.get(session) ?? 0];
  const reply = await withCookie(pick(services), session).get('/authsvc/api/checkSession');
  if (reply.status === 200 && reply.body.session_valid === true && asked - endedAt > BOUND_MS) ledger.revived += 1;
}

/** Signs one person in; half of the people sign out again. Only requests that a service acknowledges are counted. */
async function visit(ledger: Ledger, services: readonly Service[]): Promise<void> {
  const client = pick(services).client();
  const _csrf = await client.csrf();
  const reply = await client.login({ username: pick(PEOPLE), password: PASSWORD });
  if (reply.status !== 200) return;
  const session = client.jar.get('session_id') ?? '';
  ledger.signedIn(session);
  await checkEnded(ledger, services);
  if (randomInt(2) === 0) return;
  ledger.held.delete(session);
  const done = await client.post('/authsvc/api/logout', { _csrf });
  if (done.status === 200) ledger.signedOut(session);
}

/** Signs people in and out until `stop` is called. */
function startLoad(ledger: Ledger, services: readonly Service[]): { stop(): Promise<void> } {
  let isOver = false;
  const comeAndGo = async () => {
    while (!isOver) {
      // A service that cannot reach the database answers with an error, which is not an acknowledgement.
      await visit(ledger, services).catch(() => undefined);
      await sleep(20);
    }
  };
  const visitors = Promise.all(Array.from({ length: VISITORS }, comeAndGo));
  return {
    stop: async () => {
      isOver = true;
      await visitors;
    },
  };
}

/** Counts the acknowledged sign-ins whose sessions are lost, and the ended sessions that are valid again. */
async function countLost({ held, ended, revived }: Ledger, services: readonly Service[]): Promise<number> {
  await sleep(2 * BOUND_MS);
  let lost = revived;
  for (const session of held) if (!(await withCookie(pick(services), session).isSignedIn())) lost += 1;
  for (const session of ended.keys()) if (await withCookie(pick(services), session).isSignedIn()) lost += 1;
  return lost;
}

interface Result {
  acknowledged: number;
  lost: number;
  seconds_out: number;
}

const SETTLE_MS = 5000;

/** Runs one scenario under load. `happen` resolves when there is a leader again. */
async function tryScenario(services: readonly Service[], happen: () => Promise<void>): Promise<Result> {
  const ledger = new Ledger();
  ledger.start();
  const load = startLoad(ledger, services);
  await sleep(SETTLE_MS);
  await happen();
  await sleep(SETTLE_MS);
  await load.stop();
  const { acknowledged, longestOutMs } = ledger;
  const lost = await countLost(ledger, services);
  return { acknowledged, lost, seconds_out: Math.round(longestOutMs / 100) / 10 };
}

async function tryAll(owner: Owner, cluster: Cluster, folder: string) {
  const settings = {
    DATABASE_LISTEN_URL: cluster.directUrl,
    MAX_SESSIONS_PER_USER: '10000',
    DATABASE_POOL_MAX: '5',
  };
  const place: Place = { url: cluster.pooledUrl, folder, settings };
  await makeDatabase(owner, { ...place, url: cluster.directUrl });
  for (const name of PEOPLE) await addUser(owner, place, name);
  const services = [await startService(owner, place), await startService(owner, place)];
  const kill = await tryScenario(services, () => cluster.killLeader());
  await cluster.settle();
  const switchover = await tryScenario(services, () => cluster.switchOver());
  await cluster.settle();
  const cut = await tryScenario(services, () => cluster.cutLeader());
  return { kill, switchover, cut };
}

async function main(): Promise<number> {
  const missing = missingTools();
  if (missing.length > 0) {
    process.stderr.write(
      `missing: ${missing.join(', ')}: apt-get install patroni etcd-server haproxy pgbouncer postgresql\n`,
    );
    return 2;
  }
  const folder = await mkdtemp(join(tmpdir(), 'authsvc-failover-'));
  const account = await findAccount();
  const data = join(folder, 'data');
  await mkdir(data);
  if (account) await Promise.all([folder, data].map((path) => chown(path, account.uid, account.gid)));
  const endings: (() => Promise<void>)[] = [() => rm(folder, { recursive: true, force: true })];
  const owner: Owner = { onTestFinished: (stop) => void endings.push(stop) };
  try {
    const cluster = await startCluster(owner, data, account);
    const results = await tryAll(owner, cluster, folder);
    process.stdout.write(`${JSON.stringify(results)}\n`);
    const isGood = ({ lost, seconds_out }: Result, goal: number) => lost === 0 && seconds_out < goal;
    const { kill, switchover, cut } = results;
    return isGood(kill, GOALS.kill) && isGood(switchover, GOALS.switchover) && isGood(cut, GOALS.cut) ? 0 : 1;
  } finally {
    for (const end of endings.toReversed()) await end();
  }
}

exitWith(main, ({ stack }) => stack);
