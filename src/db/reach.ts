import { existsSync } from 'node:fs';
import { asTyped } from '../settings/as-typed.ts';
import type { Database } from './handle.ts';

/** The database cannot be used by this program; the message tells the operator what to do. */
export class DatabaseError extends Error {}

const NO_SUCH_DATABASE = '3D000';

const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;

/** What went wrong in one line. An error of several, one for each address of a host, has no words of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return [...new Set(error.errors.map(reasonOf))].join('; ');
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/\s+/g, ' ').trim() || String(codeOf(error) ?? 'no reason was given');
}

const missing = (shown: string, howToMake: string): string =>
  `There is no database at ${shown}. If that is the right place (DATABASE_URL in the environment or in .env of this folder), make one by: ${howToMake}`;

/** For commands: refuses to work where there is no SQLite file, instead of making one. Throws a DatabaseError. */
export function requireFile({ place }: Database): void {
  const isThere = place.file === undefined || existsSync(place.file);
  if (!isThere) throw new DatabaseError(missing(place.shown, `${asTyped('serve')}, or ${asTyped('migrate')}`));
}

/** Asks the database for a sign of life. Throws a DatabaseError that says where it is and what is wrong. */
export async function requireAnswer(database: Database): Promise<void> {
  const { shown } = database.place;
  try {
    await database.ping();
  } catch (error) {
    if (codeOf(error) === NO_SUCH_DATABASE)
      throw new DatabaseError(missing(shown, `createdb, then ${asTyped('serve')}, or ${asTyped('migrate')}`));
    throw toDatabaseError(database, error);
  }
}

/** The failure of something that the program cannot do without, with the place where it failed. */
export function toDatabaseError({ place }: Database, error: unknown): DatabaseError {
  if (error instanceof DatabaseError) return error;
  return new DatabaseError(
    `The database at ${place.shown} cannot be used: ${reasonOf(error)}. DATABASE_URL says where it is.`,
  );
}
