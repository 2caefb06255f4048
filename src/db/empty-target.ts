import { sql } from 'kysely';
import type { Database, Handle } from './handle.ts';
import { migrate, migrationStatus } from './migrate.ts';
import { DatabaseError } from './reach.ts';
import { tableNames } from './schema.ts';
import { SEARCH_PARTS, tableShapes } from './table-shapes.ts';

const OWN_TABLES = [...tableNames, ...SEARCH_PARTS, 'kysely_migration', 'kysely_migration_lock'];

/** Tables, views and types of the schema in which the service has its tables, without indexes and parts of a table. */
const objects = {
  sqlite: sql<{ name: string; kind: string }>`
    select name, type as kind from sqlite_master where type in ('table', 'view') and name not like 'sqlite#_%' escape '#'`,
  postgres: sql<{ name: string; kind: string }>`
    select c.relname as name, case when c.relkind in ('r', 'p') then 'table' else 'other' end as kind
    from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f')
    union all
    select t.typname, 'type' from pg_type t
    left join pg_class c on c.oid = t.typrelid
    where t.typnamespace = current_schema()::regnamespace
      and (t.typtype in ('e', 'd', 'r') or (t.typtype = 'c' and c.relkind = 'c'))`,
};

const notEmpty = ({ place }: Database, what: string): DatabaseError =>
  new DatabaseError(`The database at ${place.shown} is not empty: it has ${what}. Nothing was changed.`);

/** The first table with a row. A new database has data keys, which the copy replaces. */
async function findUsedTable(handle: Handle): Promise<string | undefined> {
  for (const { name } of await tableShapes(handle)) {
    if (name === 'data_keys') continue;
    const { rows } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(handle.kysely);
    if (rows.length > 0) return name;
  }
  return undefined;
}

/**
 * Prepares a database for a copy: migrates one without tables, and accepts an empty one of this version as it is.
 *
 * @throws DatabaseError if it has a row, table, view or type that a new database of this version would not have
 */
export async function requireEmptyTarget(database: Database): Promise<void> {
  const { rows } = await objects[database.kind].execute(database.kysely);
  const foreign = rows.find(({ name, kind }) => kind !== 'table' || !OWN_TABLES.includes(name));
  if (foreign) throw notEmpty(database, `${foreign.name}, which is not of authsvc`);
  if (rows.length === 0) await migrate(database);
  const { pending, unknown } = await migrationStatus(database);
  if (pending.length + unknown.length > 0) throw notEmpty(database, 'the tables of another version of authsvc');
  const used = await findUsedTable(database);
  if (used !== undefined) throw notEmpty(database, `rows in ${used}`);
}
