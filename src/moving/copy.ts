import { statSync } from 'node:fs';
import { CommandFailure } from '../command/command-failure.ts';
import type { CommandResult } from '../command/context.ts';
import { USAGE } from '../command/refusal-words.ts';
import { textTable } from '../command/table.ts';
import { copyDatabase, isSameDatabase } from '../db/copy-database.ts';
import type { Database } from '../db/handle.ts';
import { requireCurrentSchema } from '../db/migrate.ts';
import { openDatabase } from '../db/open.ts';
import { type Place, placeOf } from '../db/place.ts';
import { requireAnswer, requireFile, toDatabaseError } from '../db/reach.ts';
import { readDatabaseAddress } from '../settings/database-address.ts';
import { SettingsError } from '../settings/settings-error.ts';

/** Reads a database address from a command-line option. Throws CommandFailure for a usage error. */
export function addressOf(option: string, text: string): string {
  try {
    return readDatabaseAddress(option, text);
  } catch (error) {
    throw error instanceof SettingsError ? new CommandFailure(error.message, USAGE) : error;
  }
}

/** Identifies a database. Returns the same text for every path to the same file. */
function whereIs({ file, shown }: Place): string {
  const found = file === undefined ? undefined : statSync(file, { throwIfNoEntry: false });
  return found ? `${found.dev} ${found.ino}` : shown;
}

const sameDatabase = () => new CommandFailure('--from and --to name the same database.', USAGE);

/** A database that an option of a command names. */
interface NamedDatabase {
  option: string;
  url: string;
  isReadOnly: boolean;
}

async function useThenClose<T>(
  database: Database,
  isReadOnly: boolean,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  try {
    if (isReadOnly) requireFile(database);
    await requireAnswer(database);
    return await work(database);
  } finally {
    await database.close();
  }
}

/**
 * Opens a database, runs `work`, and closes the database. Every error names this database. This includes errors while
 * it is closed, such as that of a full disk.
 */
export async function withDatabase<T>(
  { option, url, isReadOnly }: NamedDatabase,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const options = { givenBy: option, max: 1, isPatient: true, isReadOnly, onTrouble: () => undefined };
  const database = await openDatabase(url, options);
  try {
    return await useThenClose(database, isReadOnly, work);
  } catch (error) {
    throw error instanceof CommandFailure ? error : toDatabaseError(database, error);
  }
}

/** Runs `authsvc copy`: copies one database into another, empty database. */
export async function copy({ from, to }: { from: string; to: string }): Promise<CommandResult> {
  const [source, target] = [addressOf('--from', from), addressOf('--to', to)];
  if (whereIs(placeOf(source)) === whereIs(placeOf(target))) throw sameDatabase();
  const tables = await withDatabase({ option: '--from', url: source, isReadOnly: true }, async (database) => {
    await requireCurrentSchema(database);
    return withDatabase({ option: '--to', url: target, isReadOnly: false }, async (empty) => {
      if (await isSameDatabase(database, empty)) throw sameDatabase();
      return copyDatabase(database, empty);
    });
  });
  const rows = tables.map(({ name, rows: count, sha256 }) => [name, String(count), sha256]);
  return { json: { tables }, lines: textTable(['TABLE', 'ROWS', 'SHA-256'], rows, 'There are no tables.') };
}
