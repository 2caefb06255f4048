import { sql } from 'kysely';
import type { Database, Handle } from './handle.ts';
import { migrate, migrationStatus } from './migrate.ts';
import { DatabaseError } from './reach.ts';
import { tableNames } from './schema.ts';
import { SEARCH_PARTS, tableShapes } from './table-shapes.ts';

/** The tables that record migrations. They are created before the transaction that creates all other tables. */
const MIGRATION_TABLES = ['kysely_migration', 'kysely_migration_lock'];
const OWN_TABLES = [...tableNames, ...SEARCH_PARTS, ...MIGRATION_TABLES];
/** Prefix of the names of this service's trigger functions. */
const OWN_FUNCTIONS = 'authsvc_';

interface FoundObject {
  name: string;
  kind: 'table' | 'function' | 'other';
}

/**
 * Lists what a database contains, without indexes and parts of tables. On PostgreSQL it covers all schemas except those
 * of the system, and leaves out objects of extensions. A name outside of the current schema begins with its schema.
 */
const objects = {
  sqlite: sql<FoundObject>`
    select name, case type when 'table' then 'table' else 'other' end as kind
    from sqlite_master where type in ('table', 'view') and name not like 'sqlite#_%' escape '#'`,
  postgres: sql<FoundObject>`
    select case n.nspname when current_schema() then '' else n.nspname || '.' end || o.name as name, o.kind
    from (
      select oid, 'pg_class'::regclass as catalog, relnamespace as schema, relname as name,
        case when relkind in ('r', 'p') then 'table' else 'other' end as kind
      from pg_class c
      where relkind in ('r', 'p', 'v', 'm', 'f') or (relkind = 'S' and not exists (
        select 1 from pg_depend d
        where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype in ('a', 'i')))
      union all
      select oid, 'pg_proc'::regclass, pronamespace, proname, 'function' from pg_proc
      union all
      select t.oid, 'pg_type'::regclass, t.typnamespace, t.typname, 'other'
      from pg_type t left join pg_class c on c.oid = t.typrelid
      where t.typtype in ('e', 'd', 'r') or (t.typtype = 'c' and c.relkind = 'c')
    ) o
    join pg_namespace n on n.oid = o.schema
    where n.nspname !~ '^pg_' and n.nspname <> 'information_schema' and not exists (
      select 1 from pg_depend d where d.classid = o.catalog and d.objid = o.oid and d.deptype = 'e')
    order by o.kind desc, 1`,
};

const notEmpty = ({ place }: Database, what: string): DatabaseError =>
  new DatabaseError(`The database at ${place.shown} is not empty: it has ${what}. Nothing was changed.`);

/** Returns the first table that has a row. Ignores the data keys of a new database, because the copy replaces them. */
async function findUsedTable(handle: Handle): Promise<string | undefined> {
  for (const { name } of await tableShapes(handle)) {
    if (name === 'data_keys') continue;
    const { rows } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(handle.kysely);
    if (rows.length > 0) return name;
  }
  return undefined;
}

/**
 * Checks that a database can be the target of a copy. Migrates the database if it has no tables, or only the tables
 * that list migrations, which a killed migration leaves. Accepts a migrated database of this version if its tables are
 * empty.
 *
 * @throws DatabaseError if the database has a row, or has a table, view, type, function or sequence that a new database
 *   of this version would not have
 */
export async function requireEmptyTarget(database: Database): Promise<void> {
  const { rows } = await objects[database.kind].execute(database.kysely);
  const isOwnTable = ({ name, kind }: FoundObject): boolean => kind === 'table' && OWN_TABLES.includes(name);
  const hasTables = rows.some((found) => isOwnTable(found) && !MIGRATION_TABLES.includes(found.name));
  const isOwn = (found: FoundObject): boolean =>
    isOwnTable(found) || (hasTables && found.kind === 'function' && found.name.startsWith(OWN_FUNCTIONS));
  const foreign = rows.find((found) => !isOwn(found));
  if (foreign) throw notEmpty(database, `${foreign.name}, which is not of authsvc`);
  const { applied } = await migrationStatus(database);
  if (!hasTables && applied.length === 0) await migrate(database);
  const { pending, unknown } = await migrationStatus(database);
  if (pending.length + unknown.length > 0) throw notEmpty(database, 'the tables of another version of authsvc');
  await requireNoRows(database, database);
}

/**
 * Checks that every table is empty.
 *
 * @param handle the database, or a transaction in it
 * @throws DatabaseError if a table has a row
 */
export async function requireNoRows(database: Database, handle: Handle): Promise<void> {
  const used = await findUsedTable(handle);
  if (used !== undefined) throw notEmpty(database, `rows in ${used}`);
}
