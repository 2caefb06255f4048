import { Migrator, sql } from 'kysely';
import { asTyped } from '../settings/as-typed.ts';
import type { Database } from './handle.ts';
import { allMigrations } from './migrations/all.ts';
import { DatabaseError } from './reach.ts';
import { requireComplete, requireUsable } from './requirements.ts';

export interface MigrationStatus {
  applied: string[];
  pending: string[];
  /** Migrations in the database that this program does not know. A newer program applied them. */
  unknown: string[];
}

const findTable = {
  sqlite: sql`select name from sqlite_master where type = 'table' and name = 'kysely_migration'`,
  postgres: sql`select relname from pg_class where oid = to_regclass('kysely_migration')`,
};

/**
 * Returns the schema that contains the tables of the migrations, or will contain them.
 *
 * Without a schema, Kysely would use a table of the same name in any schema, even one of another installation.
 */
async function schemaOf({ kind, kysely }: Database): Promise<string | undefined> {
  if (kind === 'sqlite') return undefined;
  const { rows } = await sql<{ name: string }>`
    select coalesce(
      (
        select nspname from pg_class join pg_namespace on pg_namespace.oid = relnamespace
        where pg_class.oid = to_regclass('kysely_migration')
      ),
      current_schema()
    ) as name`.execute(kysely);
  return rows[0]?.name;
}

async function appliedNames({ kind, kysely }: Database): Promise<string[]> {
  const found = await findTable[kind].execute(kysely);
  if (found.rows.length === 0) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(kysely);
  return rows.map((row) => row.name);
}

/** Returns the migrations that are applied, those that are pending, and those that this program does not know. */
export async function migrationStatus(database: Database): Promise<MigrationStatus> {
  const known = Object.keys(allMigrations(database.kind));
  const applied = await appliedNames(database);
  return {
    applied,
    pending: known.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !known.includes(name)),
  };
}

function refuseNewer(status: MigrationStatus): void {
  if (status.unknown.length === 0) return;
  throw new DatabaseError(
    `The database was made by a newer version of authsvc (it has ${status.unknown.join(', ')}). Start that version or a newer one; nothing was changed.`,
  );
}

/**
 * Migrates the database to this version. One transaction under a lock does this, so any number of processes may start at the
 * same time. Then checks that nothing is missing that the service depends on.
 *
 * @returns the names of the migrations that this call applied
 * @throws DatabaseError if the database is newer than this program, or lacks something that the service depends on
 */
export async function migrate(database: Database): Promise<string[]> {
  const status = await migrationStatus(database);
  refuseNewer(status);
  await requireUsable(database, status.pending.length > 0);
  const applied = status.pending.length > 0 ? await applyPending(database) : [];
  await requireComplete(database);
  return applied;
}

async function applyPending(database: Database): Promise<string[]> {
  const schema = await schemaOf(database);
  const migrator = new Migrator({
    db: database.kysely,
    ...(schema === undefined ? {} : { migrationTableSchema: schema }),
    provider: { getMigrations: async () => allMigrations(database.kind) },
  });
  const { error, results } = await migrator.migrateToLatest();
  if (error) throw error;
  return (results ?? []).filter((result) => result.status === 'Success').map((result) => result.migrationName);
}

/**
 * Refuses a database that is empty, or older or newer than this program. Commands call this.
 *
 * @throws DatabaseError whose message names the command or the version that helps
 */
export async function requireCurrentSchema(database: Database): Promise<void> {
  const status = await migrationStatus(database);
  refuseNewer(status);
  const { shown, givenBy } = database.place;
  // The command migrates only the database of the setting.
  const remedy = givenBy === 'DATABASE_URL' ? 'Run' : 'Set DATABASE_URL to this database and run';
  if (status.applied.length === 0)
    throw new DatabaseError(`The database at ${shown} is empty. ${remedy}: ${asTyped('migrate')}`);
  if (status.pending.length > 0)
    throw new DatabaseError(
      `The database at ${shown} lacks ${status.pending.join(', ')}. ${remedy}: ${asTyped('migrate')}`,
    );
}
