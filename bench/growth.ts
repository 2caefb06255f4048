// Measures the cost of many sessions in the table: `npx tsx bench/growth.ts --sessions 1000,100000,10000000 --store
// SQLite`.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { clean } from '../src/db/cleaning.ts';
import { openDatabase } from '../src/db/open.ts';
import { createPasswordHasher } from '../src/lib/password-hash.ts';
import { createSealer } from '../src/lib/sealing.ts';
import { deleteExpiredSessions } from '../src/sessions/queries.ts';
import { sealSessionId } from '../src/sessions/sealed-id.ts';
import { type PostgresServer, startPostgres } from '../test/support/postgres.ts';
import { postgresStore, SESSIONS_A_USER, type Store, sqliteStore } from './fill.ts';
import { forMilliseconds, load, median, quantile, type Shot } from './load.ts';
import { type Meter, postgresMeter, residentMegabytes } from './processes.ts';
import { databaseFor, launch, type Place } from './running.ts';
import { authsvc, browserGet, programPost } from './systems.ts';

const project = join(import.meta.dirname, '..');
const SECRET = 'session-secret-of-the-growth-benchmark-0123';
const PASSWORD = 'right-horse-7';
/** How many sessions are checked again and again. The cache of a process has room for all of them. */
const KNOWN = 1000;
/**
 * How many sessions are checked rarely. This is five times the size of the cache, so the process has dropped each
 * session from its cache before the next check.
 */
const SELDOM = 100_000;
const LOGINS = 2000;
const EXPIRED = 5000;
/** How many expired sessions are removed at once, as in the service. */
const PORTION = 100;
const ROUND_MS = 1000;
const FORGET_EVERY_MS = 20;

type WorkName = 'known' | 'anew' | 'seldom' | 'login' | 'cleaning';
const titles: Record<WorkName, string> = {
  known: 'GET checkSession, sessions that come again and again',
  anew: 'GET checkSession, while the process forgets all of them every 20 ms',
  seldom: `GET checkSession, ${SELDOM.toLocaleString('en')} sessions in turn`,
  login: 'password login',
  cleaning: `removing ${PORTION} expired sessions (CPU in ms, of the process that cleans)`,
};

interface Reading {
  cpu: number;
  database: number;
  p50: number;
  p99: number;
}

/** A service on a database with a given number of sessions. */
interface Grown {
  sessions: number;
  url: string;
  store: Store;
  shots: Partial<Record<WorkName, Shot>>;
  port: number;
  pid: number;
  meter: Meter;
  stop(): Promise<void>;
}

const say = (text: string): void => void process.stderr.write(`${text}\n`);
const print = (cells: readonly unknown[]): void => void process.stdout.write(`| ${cells.join(' | ')} |\n`);

async function shotsOf(store: Store, sessions: number): Promise<Grown['shots']> {
  const sealer = createSealer([SECRET]);
  const checks = async (count: number) => {
    const cookies = (await store.sampleIds(count)).map((id) => `session_id=${sealSessionId(sealer, id, Date.now())}`);
    return browserGet('/authsvc/api/checkSession', cookies, '"session_valid":true');
  };
  const users = sessions / SESSIONS_A_USER;
  const logins = Array.from({ length: Math.min(users, LOGINS) }, (_, at) => ({
    path: '/authsvc/api/login',
    body: { username: `user-${1 + ((at * 7919) % users)}`, password: PASSWORD },
    expect: '"success":true',
  }));
  const known = await checks(KNOWN);
  return {
    known,
    ...(kind === 'PostgreSQL' ? { anew: known } : {}),
    ...(sessions >= SELDOM ? { seldom: await checks(SELDOM) } : {}),
    login: programPost(logins),
  };
}

async function grow(sessions: number, place: Place, passwordHash: string): Promise<Grown> {
  const system = authsvc('authsvc', project, kind);
  const { PATH = '' } = process.env;
  const url = await databaseFor(system, place);
  const env = { PATH, HOME: place.folder, DATABASE_URL: url, ...system.env };
  const settings = { ...env, SESSION_SECRET_KEY: SECRET, MAX_SESSIONS_PER_USER: String(SESSIONS_A_USER) };
  await (await launch(system, settings, place.folder)).stop();
  const store = kind === 'SQLite' ? sqliteStore(url) : await postgresStore(url);
  const begin = performance.now();
  const { bytesPerSession, bytesPerUser } = await store.fill(sessions, passwordHash);
  const took = ((performance.now() - begin) / 1000).toFixed(0);
  const sizes = `${bytesPerSession.toFixed(0)} bytes a session, ${bytesPerUser.toFixed(0)} a user`;
  say(`${kind}: ${sessions} sessions filled in ${took} s, ${sizes}`);
  const shots = await shotsOf(store, sessions);
  return { sessions, url, store, shots, ...(await launch(system, settings, place.folder)) };
}

async function ask(one: Grown, work: WorkName, postgres: Meter): Promise<Reading | undefined> {
  const shot = one.shots[work];
  if (!shot) return undefined;
  const before = { cpu: one.meter(), database: postgres() };
  const connections = work === 'login' ? 4 : 16;
  const { count, latencies } = await load({ ...one, shot, connections, goesOn: forMilliseconds(ROUND_MS) });
  return {
    cpu: (one.meter() - before.cpu) / count,
    database: (postgres() - before.database) / count,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
  };
}

/** Checks sessions while the process clears its cache again and again, because it is told that everything has changed. */
async function askAnew(one: Grown, postgres: Meter): Promise<Reading | undefined> {
  if (!one.shots.anew) return undefined;
  const client = new Client({ connectionString: one.url });
  await client.connect();
  let isOver = false;
  const forget = async () => {
    while (!isOver) {
      await client.query("select pg_notify('authsvc_changes', '*')");
      await wait(FORGET_EVERY_MS);
    }
  };
  const forgetting = forget();
  try {
    return await ask(one, 'anew', postgres);
  } finally {
    isOver = true;
    await forgetting;
    await client.end();
  }
}

/** Measures the removal of expired sessions. All results are milliseconds for one portion. */
async function cleanOnce({ url, store }: Grown, postgres: Meter): Promise<Reading> {
  await store.addExpired(EXPIRED);
  const database = await openDatabase(url, { max: 1, isPatient: true, onTrouble: () => undefined });
  await database.ping();
  const own = process.cpuUsage();
  const [begin, before] = [performance.now(), postgres()];
  const times = [begin];
  const goesOn = () => times.push(performance.now()) > 0;
  await clean({ database, now: Date.now }, [deleteExpiredSessions], { goesOn });
  const portions = EXPIRED / PORTION;
  const { user, system } = process.cpuUsage(own);
  const each = times
    .slice(2)
    .map((time, at) => time - (times[at + 1] ?? time))
    .sort((a, b) => a - b);
  const used = (postgres() - before) / portions / 1000;
  await database.close();
  return {
    cpu: (user + system) / portions / 1000,
    database: used,
    p50: quantile(each, 0.5),
    p99: quantile(each, 0.99),
  };
}

type Readings = Map<Grown, Reading[]>;

/** Returns the median cost relative to the smallest table in the same round. */
function ratio(readings: Readings, one: Grown): string {
  const [smallest = []] = [...readings.values()].filter((list) => list.length > 0);
  const whole = ({ cpu, database }: Reading) => cpu + database;
  const ratios = (readings.get(one) ?? []).map((reading, at) => whole(reading) / whole(smallest[at] ?? reading));
  return median(ratios).toFixed(2);
}

function report(work: WorkName, readings: Readings): void {
  process.stdout.write(`\n${kind}: ${titles[work]}\n\n`);
  print(['sessions', 'CPU µs', 'PostgreSQL µs', 'both beside the smallest', 'p50 ms', 'p99 ms', 'memory MB']);
  for (const [one, list] of readings) {
    if (list.length === 0) continue;
    const of = (key: keyof Reading) => median(list.map((reading) => reading[key])).toFixed(1);
    const memory = residentMegabytes(one.pid).toFixed(0);
    print([one.sessions, of('cpu'), of('database'), `${ratio(readings, one)} ×`, of('p50'), of('p99'), memory]);
  }
}

/** Checks each session once, so that no measured check is the first of its session. */
async function warmUp(one: Grown): Promise<void> {
  const { known } = one.shots;
  let left = KNOWN;
  const goesOn = () => {
    left -= 1;
    return left >= 0;
  };
  if (known) await load({ ...one, shot: known, connections: 16, goesOn });
}

async function measure(work: WorkName, grown: readonly Grown[], postgres: Meter): Promise<void> {
  if (work === 'known') for (const one of grown) await warmUp(one);
  const readings: Readings = new Map(grown.map((one) => [one, []]));
  for (let round = 0; round <= rounds; round += 1) {
    const order = round % 2 === 0 ? [...readings] : [...readings].reverse();
    for (const [one, list] of order) {
      const anew = work === 'anew' ? askAnew(one, postgres) : ask(one, work, postgres);
      const reading = await (work === 'cleaning' ? cleanOnce(one, postgres) : anew);
      if (reading && round > 0) list.push(reading);
    }
  }
  report(work, readings);
}

/** Starts a PostgreSQL server that is set up for large tables: more memory for their pages, and rare checkpoints. */
async function startLargePostgres(): Promise<PostgresServer> {
  const server = await startPostgres();
  const client = new Client({ connectionString: server.url });
  await client.connect();
  const settings = { shared_buffers: '4GB', max_wal_size: '8GB', checkpoint_timeout: '30min' };
  for (const [name, value] of Object.entries(settings)) await client.query(`alter system set ${name} = '${value}'`);
  await client.end();
  await server.halt();
  await server.resume();
  return server;
}

const { values } = parseArgs({
  options: {
    sessions: { type: 'string', default: '1000,100000,10000000' },
    store: { type: 'string', default: 'SQLite' },
    rounds: { type: 'string', default: '15' },
  },
});
const kind = values.store === 'PostgreSQL' ? 'PostgreSQL' : 'SQLite';
const rounds = Number(values.rounds);
const folder = await mkdtemp(join(tmpdir(), 'authsvc-growth-'));
const server = kind === 'PostgreSQL' ? await startLargePostgres() : undefined;
const grown: Grown[] = [];
try {
  const place = { folder, postgresUrl: server?.url ?? '' };
  const passwordHash = await createPasswordHasher().hash(PASSWORD);
  for (const sessions of values.sessions.split(',').map(Number)) grown.push(await grow(sessions, place, passwordHash));
  const postgres = server ? await postgresMeter(server.url) : () => 0;
  for (const work of ['known', 'anew', 'seldom', 'login', 'cleaning'] as const) {
    if (grown.some(({ shots }) => shots[work]) || work === 'cleaning') await measure(work, grown, postgres);
  }
} finally {
  for (const one of grown) {
    await one.stop();
    await one.store.close();
  }
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
}
