import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import { freshPostgresDatabase } from './postgres.ts';

export type DatabaseKind = 'sqlite' | 'postgres';
const databaseKinds: readonly DatabaseKind[] = ['sqlite', 'postgres'];

/** A database for one test, and the folder for the service's own files. */
export interface FreshDatabase {
  url: string;
  folder: string;
  drop(): Promise<void>;
}

/** Creates an empty database: a new SQLite file, or a new PostgreSQL database. */
export async function freshDatabase(kind: DatabaseKind): Promise<FreshDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'authsvc-test-'));
  const removeFolder = () => rm(folder, { recursive: true, force: true });
  if (kind === 'sqlite') return { url: `sqlite:${join(folder, 'authsvc.sqlite')}`, folder, drop: removeFolder };
  const { url, drop } = await freshPostgresDatabase();
  const dropBoth = async () => {
    await drop();
    await removeFolder();
  };
  return { url, folder, drop: dropBoth };
}

/** Runs the same tests on each kind of database. */
export function eachDatabase(name: string, tests: (database: DatabaseKind) => void): void {
  describe.each(databaseKinds)(`${name} (%s)`, tests);
}
