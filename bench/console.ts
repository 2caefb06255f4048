// The cost of the console's pages with many rows: `npx tsx bench/console.ts --users 1000000 --store SQLite`.
// Ten audit events and five sessions a user.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { DatabaseSync } from '@photostructure/sqlite';
import { Client } from 'pg';
import { createSealer } from '../src/lib/sealing.ts';
import { sealSessionId } from '../src/sessions/sealed-id.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { median } from './load.ts';
import { postgresMeter } from './processes.ts';
import { databaseFor, launch } from './running.ts';
import { authsvc } from './systems.ts';

const SECRET = 'session-secret-of-the-console-benchmark-0123';
const SESSION = '00000000-5e55-4e55-a000-000000000000';
const SESSIONS_A_USER = 5;
const EVENTS_A_USER = 10;
const PORTION = 250_000;
const DAY_MS = 86_400_000;
const ROUNDS = 15;
/** How long the service keeps the overview. */
const OVERVIEW_MS = 10_100;

const said = (text: string): void => void process.stderr.write(`${text}\n`);
const print = (cells: readonly unknown[]): void => void process.stdout.write(`| ${cells.join(' | ')} |\n`);

/** A database that takes statements; `series` names the numbers from one to another as `n`. */
interface Filler {
  run(statement: string): Promise<unknown>;
  series(from: number, to: number): string;
  /** The statements that create the indexes of a table again. */
  dropIndexes(table: string): Promise<string[]>;
  /** As long as an id of a session and as unlikely to occur twice. */
  uuid: string;
  end(): Promise<void>;
}

function sqliteFiller(url: string): Filler {
  const file = new DatabaseSync(url.slice('sqlite:'.length), { timeout: 60_000 });
  file.exec('pragma synchronous = off; pragma cache_size = -500000');
  return {
    run: async (statement) => file.exec(statement),
    series: (from, to) =>
      `(with recursive series(n) as (select ${from} union all select n + 1 from series where n < ${to}) select n from series)`,
    dropIndexes: async (table) => {
      const indexes: { name: string; sql: string }[] = file
        .prepare(
          `select name, sql from sqlite_master where type = 'index' and tbl_name = '${table}' and sql is not null`,
        )
        .all();
      for (const { name } of indexes) file.exec(`drop index ${name}`);
      return indexes.map(({ sql }) => sql);
    },
    uuid: `lower(hex(randomblob(16)))`,
    end: async () => file.close(),
  };
}

async function postgresFiller(url: string): Promise<Filler> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query("set synchronous_commit = off; set maintenance_work_mem = '512MB'");
  return {
    run: (statement) => client.query(statement),
    series: (from, to) => `generate_series(${from}::bigint, ${to}) as series(n)`,
    dropIndexes: async (table) => {
      const { rows } = await client.query<{ name: string; sql: string }>(
        `select indexname as name, indexdef as sql from pg_indexes
         where tablename = '${table}' and indexdef not like '%UNIQUE%'`,
      );
      for (const { name } of rows) await client.query(`drop index ${name}`);
      return rows.map(({ sql }) => sql);
    },
    uuid: `replace(gen_random_uuid()::text, '-', '')`,
    end: async () => {
      await client.query('vacuum analyze');
      await client.end();
    },
  };
}

const FIRST = ['Ada', 'Grace', 'Alan', 'Edsger', 'Barbara', 'Donald', 'Radia', 'Ken', 'Frances', 'Tim', 'Zuse'];
const LAST = ['Lovelace', 'Hopper', 'Turing', 'Dijkstra', 'Liskov', 'Knuth', 'Perlman', 'Thompson', 'Allen', 'Lee'];
const pick = (words: readonly string[], number: string): string =>
  `case ${number} % ${words.length} ${words.map((word, at) => `when ${at} then '${word}'`).join(' ')} end`;

/** One user in a thousand has another role, another application or is inactive. */
const usersOf = (numbers: string, now: number): string => `
  insert into users (username, username_key, full_name, role, allowed_apps, image, password_hash, created_at,
    deactivated_at, last_login_at, email, email_key)
  select 'user-' || n, 'user-' || n, ${pick(FIRST, 'n')} || ' ' || ${pick(LAST, 'n / 7')} || ' ' || n,
    case when n % 1000 = 1 then 'auditor' else 'normaluser' end,
    case when n % 1000 = 2 then '["authsvc","wiki"]' else '["authsvc"]' end, '', '',
    ${now} - n % 1000 * ${DAY_MS} - n, case when n % 1000 = 3 then ${now} end,
    case when n % 10 > 0 then ${now} - n % 90 * ${DAY_MS} - n end, 'mail-' || n || '@example.test', 'mail-' || n || '@example.test'
  from ${numbers}`;

const sessionsOf = (numbers: string, now: number, uuid: string, users: number): string => `
  insert into sessions (id, ref, user_id, method, address, user_agent, created_at, expires_at)
  select ${uuid}, substr(${uuid}, 1, 24), (select min(id) from users) + n * 7919 % ${users},
    case when n % 5000 = 1 then 'passkey' else 'password' end, '192.0.2.' || n % 250, 'Mozilla/5.0 Firefox/140.0',
    ${now} - n % ${DAY_MS}, ${now + 2 * DAY_MS} - n % ${DAY_MS} from ${numbers}`;

/** Spread over a year; one in ten is a refusal, one in ten thousand a rare event. */
const eventsOf = (numbers: string, now: number, users: number): string => `
  insert into audit_events (at, event, actor_type, actor_id, actor_name, subject_id, subject_name, address, details)
  select ${now} - n * 7919 % ${365 * DAY_MS}, case when n % 10000 = 1 then 'password.changed'
      when n % 10 = 2 then 'sign_in.refused' else 'user.signed_in' end,
    'user', n % ${users} + 1, 'user-' || n % ${users}, n % ${users} + 1, 'user-' || n % ${users}, '192.0.2.' || n % 250,
    case when n % 10 = 2 then '{"reason":"PASSWORD_INCORRECT","method":"password","count":1}' else '{"method":"password"}' end
  from ${numbers}`;

async function fill(filler: Filler, users: number): Promise<void> {
  const now = Date.now();
  const tables = [
    { name: 'users', rows: users, statement: (numbers: string) => usersOf(numbers, now) },
    {
      name: 'sessions',
      rows: users * SESSIONS_A_USER,
      statement: (numbers: string) => sessionsOf(numbers, now, filler.uuid, users),
    },
    {
      name: 'audit_events',
      rows: users * EVENTS_A_USER,
      statement: (numbers: string) => eventsOf(numbers, now, users),
    },
  ];
  for (const { name, rows, statement } of tables) {
    const begin = performance.now();
    const indexes = await filler.dropIndexes(name);
    for (let from = 1; from <= rows; from += PORTION)
      await filler.run(statement(filler.series(from, Math.min(rows, from + PORTION - 1))));
    for (const index of indexes) await filler.run(index);
    said(`${name}: ${rows} rows in ${((performance.now() - begin) / 1000).toFixed(0)} s`);
  }
  await filler.run(`insert into sessions (id, ref, user_id, method, address, user_agent, created_at, expires_at)
    select '${SESSION}', 'session-of-the-benchmark', min(id), 'password', '127.0.0.1', '', ${now}, ${now + DAY_MS} from users`);
  await filler.run(`update users set role = 'superadmin' where id = (select min(id) from users)`);
}

const API = '/authsvc/api/admin';
const pagesOf = (users: number): Record<string, string> => ({
  'users by name': '/authsvc/admin/users',
  'users by last sign-in, newest first': '/authsvc/admin/users?sort=-last_login_at',
  'part of a name that one user has': `${API}/users?q=${users - 1}`,
  'part of a name that one in a hundred has': `${API}/users?q=Ada%20Hop`,
  'part of a name that everybody has': `${API}/users?q=user-`,
  'part of an address, by creation': `${API}/users?q=ail-${users - 2}@&sort=created_at`,
  'part of a name that no user has': `${API}/users?q=zzzz`,
  'two characters': `${API}/users?q=us&sort=-created_at`,
  'role of one in a thousand': `${API}/users?role=auditor`,
  'application of one in a thousand': `${API}/users?app=wiki`,
  'inactive users': `${API}/users?is_active=false&sort=-username`,
  'sessions, newest first': '/authsvc/admin/sessions',
  'sessions of an address': `${API}/sessions?address=192.0.2.7`,
  'sessions by a rare method': `${API}/sessions?method=passkey`,
  'audit log': '/authsvc/admin/audit',
  'audit log of a user': `${API}/audit?user=user-77`,
  'audit log of a rare event': `${API}/audit?event=password.changed`,
});

const { values } = parseArgs({
  options: { users: { type: 'string', default: '100000' }, store: { type: 'string', default: 'SQLite' } },
});
const users = Number(values.users);
const kind = values.store === 'PostgreSQL' ? 'PostgreSQL' : 'SQLite';
const folder = await mkdtemp(join(tmpdir(), 'authsvc-console-'));
const server = kind === 'PostgreSQL' ? await startPostgres() : undefined;
try {
  const system = authsvc('authsvc', join(import.meta.dirname, '..'), kind);
  const url = await databaseFor(system, { folder, postgresUrl: server?.url ?? '' });
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    ...system.env,
    DATABASE_URL: url,
    SESSION_SECRET_KEY: SECRET,
    ROLES: 'auditor',
    RATE_LIMITS: 'admin-read=100000/60s',
  };
  await (await launch(system, env, folder)).stop();
  const filler = kind === 'SQLite' ? sqliteFiller(url) : await postgresFiller(url);
  await fill(filler, users);
  await filler.end();
  const running = await launch(system, env, folder);
  const postgres = server ? await postgresMeter(server.url) : () => 0;
  const cookie = `session_id=${sealSessionId(createSealer([SECRET]), SESSION, Date.now())}`;
  const ask = async (path: string, pauseMs = 0) => {
    const [before, stored] = [running.meter(), postgres()];
    const reply = await fetch(`http://127.0.0.1:${running.port}${path}`, { headers: { cookie } });
    const text = await reply.text();
    if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${text}`);
    const cost = [(running.meter() - before) / 1000, (postgres() - stored) / 1000] as const;
    await wait(pauseMs);
    return cost;
  };
  const measure = async (name: string, path: string, { rounds = ROUNDS, pauseMs = 0 } = {}) => {
    await ask(path, pauseMs);
    const costs: (readonly [number, number])[] = [];
    for (let round = 0; round < rounds; round += 1) costs.push(await ask(path, pauseMs));
    const of = (at: 0 | 1) => median(costs.map((cost) => cost[at])).toFixed(1);
    print(kind === 'SQLite' ? [name, of(0)] : [name, `${of(0)} + ${of(1)}`]);
  };
  print(['page', `${kind}, CPU ms`]);
  print(['---', '---:']);
  await measure('overview', `${API}/overview`, { rounds: 3, pauseMs: OVERVIEW_MS });
  for (const [name, path] of Object.entries(pagesOf(users))) await measure(name, path);
  await running.stop();
} finally {
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
}
