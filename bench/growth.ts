// What many sessions in the table cost: `npx tsx bench/growth.ts --sessions 1000,100000,10000000 --store SQLite`.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { DatabaseSync } from '@photostructure/sqlite';
import { Client } from 'pg';
import { startPostgres } from '../test/kit/postgres.ts';
import { forMilliseconds, load, median, quantile, type Shot } from './load.ts';
import { type Meter, postgresMeter, residentMegabytes } from './processes.ts';
import { databaseFor, launch, type Place } from './running.ts';
import { authsvc, programPost, type Store } from './systems.ts';

const project = join(import.meta.dirname, '..');
const SESSIONS_A_USER = 5;
/** So many different sessions are asked about, spread over the whole table. */
const ASKED = 20_000;
const ROUNDS = 5;
const ROUND_MS = 3000;

const say = (text: string): void => void process.stderr.write(`${text}\n`);

const DAY_MS = 86_400_000;
/** Users and sessions as the service itself would have written them; `?` stands for the number of users. */
const fillUsers = (numbers: string) =>
  `insert into users (username, username_key, full_name, role, allowed_apps, image, password_hash, created_at)
   select 'user-' || n, 'user-' || n, 'User ' || n, 'normaluser', '["authsvc"]', '', '', 1 from ${numbers}`;
const fillSessions = (
  numbers: string,
  sessions: number,
  { start, rest, device }: Record<'start' | 'rest' | 'device', string>,
) => {
  const now = Date.now();
  return `insert into sessions (id, user_id, method, address, user_agent, device, created_at, expires_at)
   select ${start} || ${rest}, 1 + n * 7919 % ${sessions / SESSIONS_A_USER}, 'password', '192.0.2.1',
     'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0', ${device}, ${now}, ${now + 2 * DAY_MS} + n % ${DAY_MS}
   from ${numbers}`;
};

/** Ids in rising order, spread over all that there can be: a table is filled in a fraction of the time so. */
const step = (sessions: number) => Math.floor(0xffff_ffff / sessions);

/** Gives some of the ids that are there now. */
function fillSqlite(url: string, sessions: number): string[] {
  const file = new DatabaseSync(url.slice('sqlite:'.length));
  const series = (most: number) =>
    `(with recursive series(n) as (select 1 union all select n + 1 from series where n < ${most}) select n from series)`;
  file.exec('pragma synchronous = off; pragma cache_size = -500000');
  const indexes: { name: string; sql: string }[] = file
    .prepare("select name, sql from sqlite_master where type = 'index' and tbl_name = 'sessions' and sql is not null")
    .all();
  for (const { name } of indexes) file.exec(`drop index ${name}`);
  file.exec('begin');
  file.exec(fillUsers(series(sessions / SESSIONS_A_USER)));
  file.exec(
    fillSessions(series(sessions), sessions, {
      start: `printf('%08x-', n * ${step(sessions)})`,
      rest: "lower('5e55-4e55-a' || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))",
      device: 'hex(randomblob(16))',
    }),
  );
  file.exec('commit');
  for (const { sql } of indexes) file.exec(sql);
  file.exec('pragma wal_checkpoint(truncate)');
  const every = Math.max(1, Math.floor(sessions / ASKED));
  const rows: { id: string }[] = file.prepare('select id from sessions where rowid % ? = 0').all(every);
  file.close();
  return rows.map(({ id }) => id);
}

async function fillPostgres(url: string, sessions: number): Promise<string[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const series = (most: number) => `generate_series(1::bigint, ${most}) as series(n)`;
  await client.query('alter table sessions disable trigger user; alter table users disable trigger user');
  await client.query(fillUsers(series(sessions / SESSIONS_A_USER)));
  await client.query(
    fillSessions(series(sessions), sessions, {
      start: `lpad(to_hex(n * ${step(sessions)}), 8, '0') || '-'`,
      rest: 'substr(gen_random_uuid()::text, 10)',
      device: 'gen_random_uuid()::text',
    }),
  );
  await client.query('alter table sessions enable trigger user; alter table users enable trigger user');
  await client.query('vacuum analyze');
  const share = Math.min(100, (100 * ASKED) / sessions);
  const { rows } = await client.query<{ id: string }>(`select id from sessions tablesample bernoulli (${share})`);
  await client.end();
  return rows.map(({ id }) => id);
}

interface Grown {
  sessions: number;
  port: number;
  pid: number;
  meter: Meter;
  shot: Shot;
  stop(): Promise<void>;
}

/** Starts the service on a database with so many sessions. */
async function grow(store: Store, sessions: number, place: Place): Promise<Grown> {
  say(`${store}: filling ${sessions} sessions`);
  const system = authsvc('authsvc', project, store);
  const { PATH = '' } = process.env;
  const url = await databaseFor(system, place);
  const env = { PATH, HOME: place.folder, DATABASE_URL: url, ...system.env };
  await (await launch(system, env, place.folder)).stop();
  const ids = store === 'SQLite' ? fillSqlite(url, sessions) : await fillPostgres(url, sessions);
  const asked = ids.map((session_id) => ({
    path: '/authsvc/api/verifySession',
    body: { session_id },
    expect: '"valid":true',
  }));
  // By a step that shares no factor with their number, so that neighbours in the table are not asked about in turn.
  const spread = asked
    .map((_, index) => asked[(index * 7919) % asked.length] ?? asked[0])
    .filter((one) => one !== undefined);
  return { sessions, shot: programPost(spread), ...(await launch(system, env, place.folder)) };
}

async function measure(grown: readonly Grown[], postgres: Meter): Promise<void> {
  const readings = new Map(
    grown.map((one) => [one, [] as { cpu: number; database: number; p50: number; p99: number }[]]),
  );
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [one, list] of readings) {
      const before = { cpu: one.meter(), database: postgres() };
      const { count, latencies } = await load({ ...one, connections: 16, goesOn: forMilliseconds(ROUND_MS) });
      const [p50, p99] = [quantile(latencies, 0.5), quantile(latencies, 0.99)];
      const reading = {
        cpu: (one.meter() - before.cpu) / count,
        database: (postgres() - before.database) / count,
        p50,
        p99,
      };
      if (round > 0) list.push(reading);
    }
  }
  for (const [{ sessions, pid }, list] of readings) {
    const of = (key: 'cpu' | 'database' | 'p50' | 'p99') => median(list.map((one) => one[key])).toFixed(2);
    const facts = [sessions, of('cpu'), of('database'), of('p50'), of('p99'), residentMegabytes(pid).toFixed(0)];
    process.stdout.write(`| ${facts.join(' | ')} |\n`);
  }
}

const { values } = parseArgs({
  options: {
    sessions: { type: 'string', default: '1000,100000,10000000' },
    store: { type: 'string', default: 'SQLite' },
  },
});
const store = values.store === 'PostgreSQL' ? 'PostgreSQL' : 'SQLite';
const folder = await mkdtemp(join(tmpdir(), 'authsvc-growth-'));
const postgres = store === 'PostgreSQL' ? await startPostgres() : undefined;
const grown: Grown[] = [];
try {
  const place = { folder, postgresUrl: postgres?.url ?? '' };
  for (const number of values.sessions.split(',').map(Number)) grown.push(await grow(store, number, place));
  process.stdout.write(`${store}\n| sessions | CPU µs a request | PostgreSQL µs | p50 ms | p99 ms | memory MB |\n`);
  await measure(grown, postgres ? await postgresMeter(postgres.url) : () => 0);
} finally {
  for (const one of grown) await one.stop();
  await postgres?.stop();
  await rm(folder, { recursive: true, force: true });
}
