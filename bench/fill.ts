// Fills a database with many users and sessions. The rows are those that the service would write, but they are written
// faster: in ascending order of ids, without triggers, without waiting for the disk, and with indexes created afterwards.
import { DatabaseSync } from '@photostructure/sqlite';
import { Client } from 'pg';

export const SESSIONS_A_USER = 5;
const PORTION = 500_000;
const DAY_MS = 86_400_000;

/** How many bytes one session and one user take in the database, with their indexes. */
export interface Filled {
  bytesPerSession: number;
  bytesPerUser: number;
}

/** A filled database. The benchmark reads samples from it and adds rows to it. */
export interface Store {
  fill(sessions: number, passwordHash: string): Promise<Filled>;
  /** Returns about this many ids, spread over the whole table, in any order. */
  sampleIds(count: number): Promise<string[]>;
  /** Adds expired sessions of user 1. */
  addExpired(count: number): Promise<void>;
  close(): Promise<void>;
}

const fillUsers = (numbers: string, passwordHash: string) =>
  `insert into users (username, username_key, full_name, role, allowed_apps, image, password_hash, created_at)
   select 'user-' || n, 'user-' || n, 'User ' || n, 'normaluser', '["authsvc"]', '', '${passwordHash}', 1 from ${numbers}`;

interface Row {
  id: string;
  user: string;
  browser: string;
  device: string;
  createdAt: string;
  expiresAt: string;
}

const fillSessions = (numbers: string, { id, user, browser, device, createdAt, expiresAt }: Row) =>
  `insert into sessions (id, user_id, method, address, user_agent, browser, device, created_at, expires_at)
   select ${id}, ${user}, 'password', '192.0.2.1', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0', ${browser}, ${device},
     ${createdAt}, ${expiresAt} from ${numbers}`;

/**
 * Returns SQL expressions for the columns of the session with the number `n`. They shuffle the order of the users and
 * spread the expiry times over a day.
 */
const live = (sessions: number, now = Date.now()) => ({
  user: `(select min(id) from users) + n * 7919 % ${sessions / SESSIONS_A_USER}`,
  createdAt: `${now} - n % ${DAY_MS}`,
  expiresAt: `${now + 2 * DAY_MS} - n % ${DAY_MS}`,
});
const expired = { user: '(select min(id) from users)', createdAt: '1', expiresAt: '2 + n' };

function* portions(most: number): Generator<readonly [number, number]> {
  for (let from = 1; from <= most; from += PORTION) yield [from, Math.min(most, from + PORTION - 1)];
}

/**
 * Returns the step from one id to the next, in the first eight hex digits. The ids increase and are spread over the
 * whole range.
 */
const step = (sessions: number) => Math.floor(0xffff_ffff / sessions);

export function sqliteStore(url: string): Store {
  const file = new DatabaseSync(url.slice('sqlite:'.length), { timeout: 60_000 });
  const series = (from: number, to: number) =>
    `(with recursive series(n) as (select ${from} union all select n + 1 from series where n < ${to}) select n from series)`;
  const hex = (bytes: number) => `lower(hex(randomblob(${bytes})))`;
  const tail = `'-5e55-4e55-a' || substr(${hex(2)}, 2) || '-' || ${hex(6)}`;
  const size = () => {
    const row: { bytes?: number } | undefined = file
      .prepare('select page_count * page_size as bytes from pragma_page_count, pragma_page_size')
      .get();
    return row?.bytes ?? 0;
  };
  const fillAll = (sessions: number, passwordHash: string): Filled => {
    const users = sessions / SESSIONS_A_USER;
    const indexes: { name: string; sql: string }[] = file
      .prepare("select name, sql from sqlite_master where type = 'index' and tbl_name = 'sessions' and sql is not null")
      .all();
    for (const { name } of indexes) file.exec(`drop index ${name}`);
    const empty = size();
    for (const [from, to] of portions(users)) file.exec(fillUsers(series(from, to), passwordHash));
    const filled = size();
    const row = {
      ...live(sessions),
      id: `printf('%08x', n * ${step(sessions)}) || ${tail}`,
      browser: hex(16),
      device: hex(16),
    };
    for (const [from, to] of portions(sessions)) file.exec(fillSessions(series(from, to), row));
    for (const { sql } of indexes) file.exec(sql);
    return { bytesPerUser: (filled - empty) / users, bytesPerSession: (size() - filled) / sessions };
  };
  return {
    fill: async (sessions, passwordHash) => {
      file.exec('pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -500000');
      const filled = fillAll(sessions, passwordHash);
      file.exec('pragma cache_size = -2000; pragma synchronous = full; pragma journal_mode = wal');
      return filled;
    },
    sampleIds: async (count) => {
      const rows: { id: string }[] = file
        .prepare(
          `select id from ${series(1, count)}
           join sessions on sessions.rowid = 1 + n * max(1, (select max(rowid) from sessions) / ${count}) order by random()`,
        )
        .all();
      return rows.map(({ id }) => id);
    },
    addExpired: async (count) => {
      file.exec(
        fillSessions(series(1, count), { ...expired, id: `${hex(4)} || ${tail}`, browser: hex(16), device: hex(16) }),
      );
    },
    close: async () => file.close(),
  };
}

export async function postgresStore(url: string): Promise<Store> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  const series = (from: number, to: number) => `generate_series(${from}::bigint, ${to}) as series(n)`;
  const size = async (table: string): Promise<number> => {
    const { rows } = await client.query<{ size: string }>(`select pg_total_relation_size('${table}') as size`);
    return Number(rows[0]?.size);
  };
  const uuid = 'gen_random_uuid()::text';
  const short = `replace(${uuid}, '-', '')`;
  const fillAll = async (sessions: number, passwordHash: string): Promise<Filled> => {
    const users = sessions / SESSIONS_A_USER;
    const { rows } = await client.query<{ name: string; sql: string }>(
      "select indexname as name, indexdef as sql from pg_indexes where tablename = 'sessions' and indexname <> 'sessions_pkey'",
    );
    for (const { name } of rows) await client.query(`drop index ${name}`);
    for (const [from, to] of portions(users)) await client.query(fillUsers(series(from, to), passwordHash));
    const id = `lpad(to_hex(n * ${step(sessions)}), 8, '0') || substr(${uuid}, 9)`;
    const row = { ...live(sessions), id, browser: short, device: short };
    for (const [from, to] of portions(sessions)) await client.query(fillSessions(series(from, to), row));
    for (const { sql } of rows) await client.query(sql);
    await client.query('vacuum analyze');
    return {
      bytesPerUser: (await size('users')) / users,
      bytesPerSession: (await size('sessions')) / sessions,
    };
  };
  return {
    fill: async (sessions, passwordHash) => {
      // Turns off the triggers of the change feed, and the foreign keys that would check the user of each session.
      await client.query(
        "set session_replication_role = replica; set synchronous_commit = off; set maintenance_work_mem = '1GB'",
      );
      const filled = await fillAll(sessions, passwordHash);
      await client.query('reset all');
      await client.query('checkpoint');
      return filled;
    },
    sampleIds: async (count) => {
      const total = await client.query<{ count: number }>('select count(*)::integer as count from sessions');
      const percent = Math.min(100, (130 * count) / (total.rows[0]?.count ?? 1));
      const { rows } = await client.query<{ id: string }>(
        `select id from (select id from sessions tablesample bernoulli (${percent}) order by random() limit ${count}) as sample`,
      );
      return rows.map(({ id }) => id);
    },
    addExpired: async (count) => {
      await client.query(fillSessions(series(1, count), { ...expired, id: uuid, browser: short, device: short }));
      await client.query('analyze sessions');
    },
    close: () => client.end(),
  };
}
