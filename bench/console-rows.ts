// Fills a database for the benchmark of the console, with five sessions and ten audit events per user.
import process from 'node:process';
import { DatabaseSync } from '@photostructure/sqlite';
import { Client } from 'pg';

/** The id of a session of a superadmin. */
export const SESSION = '00000000-5e55-4e55-a000-000000000000';
const SESSIONS_A_USER = 5;
const EVENTS_A_USER = 10;
const PORTION = 250_000;
const DAY_MS = 86_400_000;

const said = (text: string): void => void process.stderr.write(`${text}\n`);

/** Runs statements on a database. `series` returns a table whose column `n` has the numbers in a range. */
interface Filler {
  run(statement: string): Promise<unknown>;
  series(from: number, to: number): string;
  /** Drops the indexes of a table. Returns the statements that create them again. */
  dropIndexes(table: string): Promise<string[]>;
  /** An SQL expression for a text that is as long and as random as a session id. */
  uuid: string;
  end(): Promise<void>;
}

export function sqliteFiller(url: string): Filler {
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

export async function postgresFiller(url: string): Promise<Filler> {
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

/** Adds users. Of every thousand, one has another role, one has another application, and one is inactive. */
const usersOf = (numbers: string, now: number): string => `
  insert into users (username, username_key, full_name, role, allowed_apps, image, password_hash, created_at,
    deactivated_at, last_login_at, email, email_key, folded_username, folded_full_name, folded_apps)
  select 'user-' || n, 'user-' || n, ${pick(FIRST, 'n')} || ' ' || ${pick(LAST, 'n / 7')} || ' ' || n,
    case when n % 1000 = 1 then 'auditor' else 'normaluser' end,
    case when n % 1000 = 2 then '["authsvc","wiki"]' else '["authsvc"]' end, '', '',
    ${now} - n % 1000 * ${DAY_MS} - n, case when n % 1000 = 3 then ${now} end,
    case when n % 10 > 0 then ${now} - n % 90 * ${DAY_MS} - n end, 'mail-' || n || '@example.test', 'mail-' || n || '@example.test',
    'user-' || n, lower(${pick(FIRST, 'n')} || ' ' || ${pick(LAST, 'n / 7')} || ' ' || n),
    case when n % 1000 = 2 then '["authsvc","wiki"]' else '["authsvc"]' end
  from ${numbers}`;

/** Adds second factors for all users but one in a thousand. */
const factorsOf = (numbers: string, now: number): string => `
  insert into totp_factors (user_id, secret, last_step, confirmed_at)
  select (select min(id) from users) + n - 1, '', 0, ${now} from ${numbers} where n % 1000 <> 4`;

const sessionsOf = (numbers: string, now: number, uuid: string, users: number): string => `
  insert into sessions (id, ref, user_id, method, address, user_agent, created_at, expires_at)
  select ${uuid}, substr(${uuid}, 1, 24), (select min(id) from users) + n * 7919 % ${users},
    case when n % 5000 = 1 then 'passkey' else 'password' end, '192.0.2.' || n % 250, 'Mozilla/5.0 Firefox/140.0',
    ${now} - n % ${DAY_MS}, ${now + 2 * DAY_MS} - n % ${DAY_MS} from ${numbers}`;

/** Adds audit events that are spread over a year. One in ten is a refused sign-in, one in ten thousand is a rare event. */
const eventsOf = (numbers: string, now: number, users: number): string => `
  insert into audit_events (at, event, actor_type, actor_id, actor_name, subject_id, subject_name, address, details)
  select ${now} - n * 7919 % ${365 * DAY_MS}, case when n % 10000 = 1 then 'password.changed'
      when n % 10 = 2 then 'sign_in.refused' else 'user.signed_in' end,
    'user', n % ${users} + 1, 'user-' || n % ${users}, n % ${users} + 1, 'user-' || n % ${users}, '192.0.2.' || n % 250,
    case when n % 10 = 2 then '{"reason":"PASSWORD_INCORRECT","method":"password","count":1}' else '{"method":"password"}' end
  from ${numbers}`;

interface Rows {
  name: string;
  rows: number;
  /** Returns the statement that adds the rows whose numbers are in `numbers`, a table from `series`. */
  statement(numbers: string): string;
}

async function fillTable(filler: Filler, { name, rows, statement }: Rows): Promise<void> {
  const begin = performance.now();
  const indexes = await filler.dropIndexes(name);
  for (let from = 1; from <= rows; from += PORTION)
    await filler.run(statement(filler.series(from, Math.min(rows, from + PORTION - 1))));
  for (const index of indexes) await filler.run(index);
  said(`${name}: ${rows} rows in ${((performance.now() - begin) / 1000).toFixed(0)} s`);
}

/** Adds the sessions of all users. */
export const fillSessions = (filler: Filler, users: number): Promise<void> =>
  fillTable(filler, {
    name: 'sessions',
    rows: users * SESSIONS_A_USER,
    statement: (numbers) => sessionsOf(numbers, Date.now(), filler.uuid, users),
  });

/** Adds all rows. */
export async function fill(filler: Filler, users: number): Promise<void> {
  const now = Date.now();
  const searchIndexes = await filler.dropIndexes('user_search');
  await fillTable(filler, { name: 'users', rows: users, statement: (numbers) => usersOf(numbers, now) });
  await fillTable(filler, { name: 'totp_factors', rows: users, statement: (numbers) => factorsOf(numbers, now) });
  await fillSessions(filler, users);
  await fillTable(filler, {
    name: 'audit_events',
    rows: users * EVENTS_A_USER,
    statement: (numbers) => eventsOf(numbers, now, users),
  });
  for (const index of searchIndexes) await filler.run(index);
  await filler.run(`insert into sessions (id, ref, user_id, method, address, user_agent, created_at, expires_at)
    select '${SESSION}', 'session-of-the-benchmark', min(id), 'password', '127.0.0.1', '', ${now}, ${now + DAY_MS} from users`);
  await filler.run(`update users set role = 'superadmin' where id = (select min(id) from users)`);
}
