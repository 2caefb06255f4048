import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { freezablePath } from '../../test/support/freezable-path.ts';
import { freshPostgresDatabase } from '../../test/support/postgres.ts';
import { testClock } from '../../test/support/test-clock.ts';
import { systemClock } from '../lib/clock.ts';
import { startChangeFeed } from './change-feed.ts';
import { BOUND_MS, FedChanges } from './changes.ts';
import { migrate } from './migrate.ts';
import { openDatabase } from './open.ts';

const owner = { onTestFinished };
const soon = { timeout: 15_000, interval: 10 };

async function preparedDatabase() {
  const { url, drop } = await freshPostgresDatabase();
  onTestFinished(drop);
  const database = await openDatabase(url, { max: 2, isPatient: true, onTrouble: () => undefined });
  await migrate(database).finally(() => database.close());
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  const later = Date.now() + 3_600_000;
  for (const id of [1, 2]) {
    await client.query(`insert into users (username, username_key, full_name, role, allowed_apps, image, password_hash,
      created_at) values ('u${id}', 'u${id}', '', 'normaluser', '[]', '', '', 1)`);
    await client.query(`insert into sessions (id, user_id, method, address, user_agent, created_at, expires_at)
      values ('s${id}', ${id}, 'password', '', '', 1, ${later})`);
    await client.query(`insert into api_tokens (user_id, name, token_hash, prefix, scope, created_at)
      values (${id}, 't', 'h${id}', '', 'write', 1)`);
  }
  return { url, client };
}

/** Runs SQL and returns the notifications that it causes. */
async function toldBy(url: string, client: pg.Client, text: string): Promise<string[]> {
  const listener = new pg.Client({ connectionString: url });
  const told: string[] = [];
  listener.on('notification', ({ payload }) => told.push(payload ?? ''));
  await listener.connect();
  await listener.query('listen authsvc_changes');
  await client.query(text);
  await listener.query("select pg_notify('authsvc_changes', 'the end')");
  await vi.waitUntil(() => told.at(-1) === 'the end', soon);
  await listener.end();
  return told.slice(0, -1).sort();
}

test.each([
  ['a session ends', "delete from sessions where id = 's1'", ['sessions s1']],
  ['a session gets a new id', "update sessions set id = 'x' where id = 's1'", ['sessions s1']],
  ['a session ends earlier', "update sessions set expires_at = 5 where id = 's1'", ['sessions s1']],
  ['a user may do less', 'update users set allowed_apps = \'["x"]\' where id = 2', ['users 2']],
  ['a user is deactivated', 'update users set deactivated_at = 5 where id = 2', ['users 2']],
  ['a user is removed', 'delete from users where id = 2', ['api_tokens 2', 'sessions s2', 'users 2']],
  ['a token is revoked', 'delete from api_tokens where id = 1', ['api_tokens 1']],
  ['a table is emptied', 'truncate sessions cascade', ['*']],
  ['a deletion is undone', 'begin; delete from sessions; rollback', []],
])('when %s, PostgreSQL sends the notifications of that change and no others', async (_what, text, expected) => {
  const { url, client } = await preparedDatabase();

  expect(await toldBy(url, client, text)).toEqual(expected);
});

test.each([
  ['a sign-in', 'update users set last_login_at = 5'],
  ['the use of a token', 'update api_tokens set last_used_at = 5'],
  ['a browser that gets a new name', "update sessions set device = 'd'"],
  ['a change that changes nothing', "update users set role = 'normaluser'"],
  [
    'a new session',
    "insert into sessions select 'n', user_id, method, address, user_agent, 1, 9e15 from sessions limit 1",
  ],
])('%s sends no notification', async (_what, text) => {
  const { url, client } = await preparedDatabase();

  expect(await toldBy(url, client, text)).toEqual([]);
});

test('deleting rows that had already expired sends no notification', async () => {
  const { url, client } = await preparedDatabase();
  await client.query("update sessions set expires_at = 5 where id = 's1'");

  expect(await toldBy(url, client, 'delete from sessions')).toEqual(['sessions s2']);
});

test('if one transaction changes very many rows, PostgreSQL names the first hundred, and says once that any row may have changed', async () => {
  const { url, client } = await preparedDatabase();
  await client.query(`insert into sessions (id, user_id, method, address, user_agent, created_at, expires_at)
    select 'many' || n, 1, 'password', '', '', 1, 9e15 from generate_series(1, 5000) n`);

  const told = await toldBy(url, client, "delete from sessions where id like 'many%'");

  expect(told).toHaveLength(101);
  expect(told[0]).toBe('*');
});

async function follow(url: string, options: { listenUrl?: string } = {}) {
  const lines: string[] = [];
  const note = (facts: { err?: unknown }, text: string) =>
    void lines.push(facts.err instanceof Error ? `${text}: ${facts.err.message}` : text);
  const steady = testClock();
  const keep = { clock: systemClock, steady };
  const database = await openDatabase(url, { max: 2, isPatient: false, onTrouble: () => undefined, keep });
  const { changes } = database;
  if (!(changes instanceof FedChanges)) throw new Error('PostgreSQL reports changes through a feed');
  const told: string[] = [];
  changes.onChange((change) => void told.push(change));
  const log = { info: note, warn: note };
  const stop = startChangeFeed({ url: options.listenUrl ?? url, database, changes, steady, log });
  onTestFinished(async () => {
    await stop();
    await database.close();
  });
  return { changes, told, lines, steady, stop };
}

test('the feed reports each change, and cached answers may be used as long as its heartbeats arrive', async () => {
  const { url, client } = await preparedDatabase();
  const { changes, told } = await follow(url);
  await vi.waitUntil(() => changes.areKnown(), soon);

  await client.query("delete from sessions where id = 's1'");
  await vi.waitUntil(() => told.includes('sessions s1'), soon);
  await new Promise((resolve) => setTimeout(resolve, BOUND_MS + 500));

  expect(changes.areKnown()).toBe(true);
});

test('the feed reconnects after the server ends its connection, and clears the cache', async () => {
  const { url, client } = await preparedDatabase();
  const { changes, told, lines } = await follow(url);
  await vi.waitUntil(() => changes.areKnown(), soon);
  const before = changes.generation;

  await client.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where query like '%pg_notify%' and pid <> pg_backend_pid()",
  );
  await vi.waitUntil(() => !changes.areKnown(), soon);
  await vi.waitUntil(() => changes.areKnown(), soon);

  expect(changes.generation).toBeGreaterThan(before);
  expect(told).toContain('*');
  expect(lines.filter((line) => line.includes('is alive'))).toHaveLength(2);
});

test('if the connection falls silent, cached answers may no longer be used after a limited time, and the feed reconnects', async () => {
  const { url, client } = await preparedDatabase();
  const path = await freezablePath(owner, url);
  const { changes, told, lines, steady } = await follow(url, { listenUrl: path.url });
  await vi.waitUntil(() => changes.areKnown(), soon);

  path.freeze();
  await client.query("delete from sessions where id = 's1'");
  steady.advance(BOUND_MS);
  expect(changes.areKnown()).toBe(false);
  await vi.waitUntil(() => lines.some((line) => line.includes('did not answer') || line.includes('timeout')), soon);
  path.thaw();
  await vi.waitUntil(() => changes.areKnown(), soon);

  expect(told).not.toContain('sessions s1');
  expect(told).toContain('*');
});

test('if the URL of the feed belongs to another database, the feed never works and the log says why', async () => {
  const [one, other] = await Promise.all([preparedDatabase(), preparedDatabase()]);
  const { changes, lines } = await follow(one.url, { listenUrl: other.url });

  await vi.waitUntil(() => lines.length > 0, soon);

  expect(lines[0]).toContain('both must reach the same database');
  expect(changes.areKnown()).toBe(false);
});

test('a feed leaves no connection open after it is stopped', async () => {
  const { url, client } = await preparedDatabase();
  const { changes, stop } = await follow(url);
  await vi.waitUntil(() => changes.areKnown(), soon);

  await stop();

  const left =
    "select count(*)::int as n from pg_stat_activity where query like '%echo%' and pid <> pg_backend_pid() and datname = current_database()";
  await vi.waitUntil(async () => (await client.query(left)).rows[0].n === 0, soon);
  expect(changes.areKnown()).toBe(false);
});
