import { Migrator } from 'kysely';
import type { Database, DatabaseKind } from '../../src/db/handle.ts';
import { allMigrations } from '../../src/db/migrations/all.ts';
import { openDatabase } from '../../src/db/open.ts';
import { freshDatabase } from './each-database.ts';

interface Owner {
  onTestFinished(stop: () => Promise<void>): void;
}

/** Creates a database with the schema as it was after this migration. It is removed when the test ends. */
export async function formerDatabase(t: Owner, kind: DatabaseKind, last: string): Promise<Database> {
  const fresh = await freshDatabase(kind);
  const database = await openDatabase(fresh.url, { max: 2, isPatient: true, onTrouble: () => undefined });
  t.onTestFinished(async () => {
    await database.close();
    await fresh.drop();
  });
  const provider = { getMigrations: async () => allMigrations(kind) };
  const { error } = await new Migrator({ db: database.kysely, provider }).migrateTo(last);
  if (error) throw error;
  return database;
}
