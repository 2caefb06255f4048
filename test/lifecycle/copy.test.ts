import { link, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Migrator, sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { copyDatabase } from '../../src/db/copy-database.ts';
import type { Database, DatabaseKind } from '../../src/db/handle.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/open.ts';
import { freshDatabase } from '../support/each-database.ts';
import { formerDatabase } from '../support/former-database.ts';
import { type Owner, runCommand } from './support.ts';

vi.setConfig({ testTimeout: 90_000 });

async function open(t: Owner, kind: DatabaseKind): Promise<Database> {
  const fresh = await freshDatabase(kind);
  const database = await openDatabase(fresh.url, { max: 2, isPatient: true, onTrouble: () => undefined });
  t.onTestFinished(async () => {
    await database.close();
    await fresh.drop();
  });
  return database;
}

/**
 * Adds more users than are read at once. Their names sort differently by bytes and by language. The newest user is
 * removed again.
 */
async function fill({ kysely }: Database): Promise<void> {
  const numbers = Array.from({ length: 1203 }, (_none, at) => at);
  const nameOf = (at: number) => `${['a', 'B', 'ä', '🦊'][at % 4]}-${at}`;
  const users = numbers.map(
    (at) => sql`(${nameOf(at)}, ${nameOf(at)}, ${'O\'Neil "x" \\ \n'}, 'normaluser', '[]', '', '', ${at})`,
  );
  await sql`insert into users (username, username_key, full_name, role, allowed_apps, image, password_hash, created_at)
    values ${sql.join(users)}`.execute(kysely);
  await sql`insert into sessions (id, user_id, method, address, user_agent, created_at, expires_at)
    select username || '-id', id, 'password', '', '', 1, 2 from users`.execute(kysely);
  await sql`delete from users where id = (select max(id) from users)`.execute(kysely);
  // This event is younger than a day, so PostgreSQL refuses to delete it.
  await sql`insert into audit_events (at, event, actor_type, details)
    values (${Date.now()}, 'user.created', 'operator', '{}')`.execute(kysely);
}

const kinds: DatabaseKind[] = ['sqlite', 'postgres'];
test.each(kinds)(
  '%s: all rows are copied to the other kind of database and back, with the same checksums',
  async (kind) => {
    const stops: (() => Promise<void>)[] = [];
    const t: Owner = { onTestFinished: (stop) => void stops.unshift(stop) };
    const other = kind === 'sqlite' ? 'postgres' : 'sqlite';
    const [source, there, back] = [await open(t, kind), await open(t, other), await open(t, kind)];
    await migrate(source);
    await fill(source);

    const first = await copyDatabase(source, there);
    const second = await copyDatabase(there, back);

    expect(second).toEqual(first);
    expect(first.find(({ name }) => name === 'users')?.rows).toBe(1202);
    expect(first.find(({ name }) => name === 'audit_events')?.rows).toBe(1);
    expect(first.map(({ name }) => name)).not.toContain('rate_limits');
    const next = await sql<{ id: number }>`
    insert into users (username, username_key, full_name, role, allowed_apps, image, password_hash, created_at)
    values ('next', 'next', '', 'normaluser', '[]', '', '', 1) returning id`.execute(back.kysely);
    expect(next.rows).toEqual([{ id: 1204 }]);
    await expect(copyDatabase(source, there)).rejects.toThrow(/is not empty: it has rows in /);
    for (const stop of stops) await stop();
  },
);

test.each([
  ['view', 'create view things as select 1 as one'],
  ['table', 'create table things (id integer)'],
  ['type', "create type things as enum ('a')"],
  ['sequence', 'create sequence things'],
  ['function', 'create function things() returns integer language sql as $$ select 1 $$'],
  ['procedure', 'create procedure things() language sql as $$ select 1 $$'],
  ['table in a schema', 'create schema elsewhere; create table elsewhere.things (id integer)', 'elsewhere.things'],
  [
    'table of our name in a schema',
    'create schema elsewhere; create table elsewhere.users (id integer)',
    'elsewhere.users',
  ],
  [
    'function of our name',
    'create function authsvc_tell_all() returns integer language sql as $$ select 1 $$',
    'authsvc_tell_all',
  ],
])(
  'a PostgreSQL target with a %s of another program is refused and stays unchanged',
  async (_what, made, name = 'things') => {
    const stops: (() => Promise<void>)[] = [];
    const t: Owner = { onTestFinished: (stop) => void stops.unshift(stop) };
    const [source, target] = [await open(t, 'sqlite'), await open(t, 'postgres')];
    await migrate(source);
    await sql.raw(made).execute(target.kysely);

    await expect(copyDatabase(source, target)).rejects.toThrow(`is not empty: it has ${name},`);

    const { rows } = await sql`select 1 from pg_tables where tablename = 'users' and schemaname = 'public'`.execute(
      target.kysely,
    );
    expect(rows).toEqual([]);
    for (const stop of stops) await stop();
  },
);

test('a PostgreSQL target with an extension or another empty schema is accepted, migrated or not', async () => {
  const stops: (() => Promise<void>)[] = [];
  const t: Owner = { onTestFinished: (stop) => void stops.unshift(stop) };
  const [source, target, migrated] = [await open(t, 'sqlite'), await open(t, 'postgres'), await open(t, 'postgres')];
  await migrate(source);
  await migrate(migrated);
  for (const database of [target, migrated])
    await sql.raw('create extension pg_stat_statements; create schema elsewhere').execute(database.kysely);

  const first = await copyDatabase(source, target);

  expect(await copyDatabase(source, migrated)).toEqual(first);
  for (const stop of stops) await stop();
});

test.each(['sqlite', 'postgres'] as const)('%s: a target whose migration was killed is accepted', async (kind) => {
  const stops: (() => Promise<void>)[] = [];
  const t: Owner = { onTestFinished: (stop) => void stops.unshift(stop) };
  const [source, target] = [await open(t, 'sqlite'), await open(t, kind)];
  await migrate(source);
  // A migration commits only this before the transaction that creates the other tables.
  const { error } = await new Migrator({
    db: target.kysely,
    provider: { getMigrations: async () => ({}) },
  }).migrateToLatest();

  const copied = await copyDatabase(source, target);

  expect(error).toBeUndefined();
  expect(copied.map(({ name }) => name)).toContain('users');
  for (const stop of stops) await stop();
});

test.each(['sqlite', 'postgres'] as const)(
  '%s: two copies at once into one target leave one whole copy',
  async (kind) => {
    const stops: (() => Promise<void>)[] = [];
    const t: Owner = { onTestFinished: (stop) => void stops.unshift(stop) };
    const source = await open(t, 'sqlite');
    await migrate(source);
    await fill(source);
    const fresh = await freshDatabase(kind);
    t.onTestFinished(fresh.drop);
    const place = { url: fresh.url, folder: fresh.folder };
    await runCommand(t, place, ['migrate']);
    const args = ['copy', '--from', `sqlite:${source.place.file}`, '--to', fresh.url];

    const outcomes = await Promise.all([1, 2].map(() => runCommand(t, place, args)));

    expect(outcomes.map(({ code }) => code).sort()).toEqual([0, 1]);
    expect(outcomes.find(({ code }) => code === 1)?.stderr).toMatch(
      / is not empty: it has rows in \w+\. Nothing was changed\.\n$/,
    );
    for (const stop of stops) await stop();
  },
);

test('a source that is not migrated is refused with the command that migrates it', async (t) => {
  const source = await formerDatabase(t, 'sqlite', '0036-trigram-cost');
  const target = await freshDatabase('sqlite');
  t.onTestFinished(target.drop);

  const args = ['copy', '--from', `sqlite:${source.place.file}`, '--to', target.url];
  const { code, stderr } = await runCommand(t, target, args);

  const remedy = / lacks 0037-[^.]*\. Set DATABASE_URL to this database and run: .* migrate\n$/;
  expect([code, stderr]).toEqual([1, expect.stringMatching(remedy)]);
});

test('a copy does not change its source, and leaves a target empty if it fails', async (t) => {
  const [source, target] = [await open(t, 'sqlite'), await open(t, 'sqlite')];
  await migrate(source);
  await fill(source);
  await migrate(target);
  await sql`create trigger stop before insert on sessions begin select raise(abort, 'full'); end`.execute(
    target.kysely,
  );
  const [from, to] = [source.place.file ?? '', target.place.file ?? ''];
  await source.close();
  const before = await readFile(from);

  const place = { url: `sqlite:${from}`, folder: join(from, '..') };
  const { code, stderr } = await runCommand(t, place, ['copy', '--from', `sqlite:${from}`, '--to', `sqlite:${to}`]);

  expect([code, stderr]).toEqual([1, expect.stringContaining('full')]);
  expect((await readFile(from)).equals(before)).toBe(true);
  const { rows } = await sql<{ users: number }>`select count(*) as users from users`.execute(target.kysely);
  expect(rows).toEqual([{ users: 0 }]);
});

test('a copy leaves no additional file beside a source that no program uses', async (t) => {
  const source = await open(t, 'sqlite');
  await migrate(source);
  await source.close();
  const file = source.place.file ?? '';
  const folder = join(file, '..');
  const before = await readdir(folder);
  const target = await freshDatabase('sqlite');
  t.onTestFinished(target.drop);

  const { code } = await runCommand(t, { url: target.url, folder: target.folder }, [
    'copy',
    '--from',
    `sqlite:${file}`,
    '--to',
    target.url,
  ]);

  expect([code, await readdir(folder)]).toEqual([0, before]);
});

test.each(kinds)('%s: the same database under two addresses is wrong usage', async (kind) => {
  const stops: (() => Promise<void>)[] = [];
  const t: Owner = { onTestFinished: (stop) => void stops.unshift(stop) };
  const fresh = await freshDatabase(kind);
  stops.push(fresh.drop);
  await runCommand(t, fresh, ['migrate']);
  const another = join(fresh.folder, 'another.sqlite');
  if (kind === 'sqlite') await link(fresh.url.slice('sqlite:'.length), another);
  const to = kind === 'sqlite' ? `sqlite:${another}` : fresh.url.replace('127.0.0.1', 'localhost');

  const { code, stderr } = await runCommand(t, fresh, ['copy', '--from', fresh.url, '--to', to]);

  expect(to).not.toBe(fresh.url);
  expect([code, stderr]).toEqual([2, '--from and --to name the same database.\n']);
  for (const stop of stops) await stop();
});
