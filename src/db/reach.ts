import { existsSync } from 'node:fs';
import { accessFault } from '../lib/file-fault.ts';
import { asTyped } from '../settings/as-typed.ts';
import type { Database } from './handle.ts';
import type { Place } from './place.ts';
import { describeDatabaseFault } from './reasons.ts';

/** Thrown if this program cannot use the database. The message tells the operator what to do. */
export class DatabaseError extends Error {}

const NO_SUCH_DATABASE = '3D000';

const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;

const missing = ({ shown, givenBy }: Place, howToMake: string): string =>
  givenBy !== 'DATABASE_URL'
    ? `There is no database at ${shown}. ${givenBy} must name an existing database.`
    : `There is no database at ${shown}. If that is the right place (DATABASE_URL in the environment or in .env of this folder), make one with: ${howToMake}`;

/**
 * Refuses to work if the SQLite file does not exist. Commands call this, so that they do not create an empty database.
 *
 * @throws DatabaseError
 */
export function requireFile({ place }: Pick<Database, 'place'>): void {
  const { file } = place;
  if (file === undefined || existsSync(file)) return;
  const fault = accessFault(file);
  if (fault) throw toDatabaseError({ place }, fault);
  throw new DatabaseError(missing(place, `${asTyped('serve')}, or ${asTyped('migrate')}`));
}

/**
 * Checks that the database answers.
 *
 * @throws DatabaseError that says where the database is and what is wrong
 */
export async function requireAnswer(database: Database): Promise<void> {
  const { place } = database;
  try {
    await database.ping();
  } catch (error) {
    if (codeOf(error) === NO_SUCH_DATABASE)
      throw new DatabaseError(missing(place, `createdb, then ${asTyped('serve')}, or ${asTyped('migrate')}`));
    throw toDatabaseError(database, error);
  }
}

/** Converts an error that ends a start or a command. The message then also says where the database is. */
export function toDatabaseError({ place }: Pick<Database, 'place'>, error: unknown): DatabaseError {
  if (error instanceof DatabaseError) return error;
  return new DatabaseError(
    `The database at ${place.shown} cannot be used: ${describeDatabaseFault(place, error)}. ${place.givenBy} says where it is.`,
  );
}
