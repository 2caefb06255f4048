import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { type DatabaseKind, eachDatabase, freshDatabase } from '../../test/support/each-database.ts';
import { asTyped } from '../settings/as-typed.ts';
import type { Database } from './handle.ts';
import { migrate, migrationStatus, requireCurrentSchema } from './migrate.ts';
import { allMigrations } from './migrations/all.ts';
import { openDatabase } from './open.ts';
import { DatabaseError } from './reach.ts';

async function emptyDatabase(kind: DatabaseKind): Promise<{ database: Database; another: () => Promise<Database> }> {
  const fresh = await freshDatabase(kind);
  const opened: Database[] = [];
  const another = async () => {
    const database = await openDatabase(fresh.url, { max: 3, isPatient: true, onTrouble: () => undefined });
    opened.push(database);
    return database;
  };
  onTestFinished(async () => {
    for (const database of opened) await database.close();
    await fresh.drop();
  });
  return { database: await another(), another };
}

/** Lists table, column and type of everything except the search index, sorted. */
async function describeTables({ kysely }: Database): Promise<string[]> {
  const tables = await kysely.introspection.getTables();
  return tables
    .filter(({ name }) => !name.startsWith('user_search'))
    .flatMap(({ name, columns }) => columns.map((column) => `${name}.${column.name} ${column.dataType.toLowerCase()}`))
    .sort();
}

const forget = (database: Database, name: string) =>
  sql`delete from kysely_migration where name = ${name}`.execute(database.kysely);
const pretend = (database: Database, name: string) =>
  sql`insert into kysely_migration (name, timestamp) values (${name}, '2099-01-01')`.execute(database.kysely);

eachDatabase('migrations', (kind) => {
  const names = Object.keys(allMigrations(kind));
  const last = names.at(-1) ?? '';

  test('each migration runs once, in the order of the names', async () => {
    const { database } = await emptyDatabase(kind);
    expect(await migrationStatus(database)).toEqual({ applied: [], pending: names, unknown: [] });

    expect(await migrate(database)).toEqual(names);
    expect(await migrate(database)).toEqual([]);

    expect(await migrationStatus(database)).toEqual({ applied: names, pending: [], unknown: [] });
    expect([...names].sort()).toEqual(names);
  });

  test('a database with migrations of a newer program is refused with advice, and nothing changes', async () => {
    const { database } = await emptyDatabase(kind);
    await migrate(database);
    await forget(database, last);
    await pretend(database, '9999-of-the-future');

    for (const use of [migrate, requireCurrentSchema]) {
      await expect(use(database)).rejects.toThrow(DatabaseError);
      await expect(use(database)).rejects.toThrow(/newer version.*9999-of-the-future/);
    }

    expect(await migrationStatus(database)).toMatchObject({ pending: [last], unknown: ['9999-of-the-future'] });
  });

  test('a migration that fails leaves nothing behind', async () => {
    const { database } = await emptyDatabase(kind);
    await sql`create table sessions (x text)`.execute(database.kysely);
    const before = await describeTables(database);

    await expect(migrate(database)).rejects.toThrow(/sessions/);

    expect(await describeTables(database)).toEqual(before);
    expect((await migrationStatus(database)).applied).toEqual([]);
  });

  test('all columns contain only texts and whole numbers', async () => {
    const { database } = await emptyDatabase(kind);
    await migrate(database);

    const types = new Set((await describeTables(database)).map((column) => column.split(' ')[1]));

    expect([...types].sort()).toEqual(kind === 'sqlite' ? ['bigint', 'integer', 'text'] : ['int4', 'int8', 'text']);
  });
});

eachDatabase('a command', (kind) => {
  test('a command refuses an empty database and leaves it empty', async () => {
    const { database } = await emptyDatabase(kind);

    await expect(requireCurrentSchema(database)).rejects.toThrow(/is empty.*authsvc migrate/);

    expect((await migrationStatus(database)).applied).toEqual([]);
  });

  test('a command refuses a database that lacks a migration', async () => {
    const { database } = await emptyDatabase(kind);
    await migrate(database);
    const { applied } = await migrationStatus(database);
    const last = applied.at(-1) ?? '';
    await forget(database, last);

    await expect(requireCurrentSchema(database)).rejects.toThrow(
      `The database at ${database.place.shown} lacks ${last}. Run: ${asTyped('migrate')}`,
    );

    expect((await migrationStatus(database)).pending).toEqual([last]);
  });
});

test('both kinds of database have the same tables and columns, except the rate limit counters of PostgreSQL', async () => {
  const columnsOf = async (kind: DatabaseKind) => {
    const { database } = await emptyDatabase(kind);
    await migrate(database);
    return (await describeTables(database))
      .map((column) => column.split(' ')[0])
      .filter((name) => !name?.startsWith('rate_limits'));
  };

  expect(await columnsOf('sqlite')).toEqual(await columnsOf('postgres'));
});

// On SQLite, waiting for the lock blocks the whole test process. So test/lifecycle/ starts real processes for that case.
test('if five processes start migrations at once on PostgreSQL, one applies them and the others see them applied', async () => {
  const { another } = await emptyDatabase('postgres');

  const applied = await Promise.all(Array.from({ length: 5 }, async () => migrate(await another())));

  expect(applied.flat()).toEqual(Object.keys(allMigrations('postgres')));
});

test('on PostgreSQL, migration tables in another schema count as another installation', async () => {
  const { database, another } = await emptyDatabase('postgres');
  await sql`create schema other; create table other.kysely_migration (name text, timestamp text);
    create table other.kysely_migration_lock (id text, is_locked integer)`.execute(database.kysely);
  const names = Object.keys(allMigrations('postgres'));

  expect(await migrate(database)).toEqual(names);

  expect(await migrationStatus(await another())).toEqual({ applied: names, pending: [], unknown: [] });
  const { rows } = await sql`select * from other.kysely_migration`.execute(database.kysely);
  expect(rows).toEqual([]);
});
