import type { Handle } from '../db/handle.ts';
import type { ApplicationRow } from '../db/schema.ts';
import { AppError } from '../errors/app-error.ts';
import { type Application, toApplication } from './application.ts';
import { applicationByKey, lockApplication } from './queries.ts';

/** The key and version of an application as the console showed it. */
export interface SeenApplication {
  key: string;
  version: number;
}

/**
 * Finds the application with a key, in any case.
 *
 * @throws AppError APPLICATION_NOT_FOUND
 */
export async function getApplication(handle: Handle, key: string): Promise<Application> {
  const row = await applicationByKey.first(handle, { key: key.toLowerCase() });
  if (!row) throw new AppError('APPLICATION_NOT_FOUND', { key });
  return toApplication(row);
}

/**
 * Locks the row of an application until the transaction ends, so that changes to it run one after the other.
 *
 * @param tx open transaction
 * @param which the key, or the key and version of the application as the console showed it
 * @throws AppError APPLICATION_NOT_FOUND; CHANGED_MEANWHILE if the application has another version now
 */
export async function getLockedApplication(tx: Handle, which: string | SeenApplication): Promise<ApplicationRow> {
  const { key, version = undefined } = typeof which === 'string' ? { key: which } : which;
  const row = await lockApplication.first(tx, { key: key.toLowerCase() });
  if (!row) throw new AppError('APPLICATION_NOT_FOUND', { key });
  if (version !== undefined && row.version !== version) throw new AppError('CHANGED_MEANWHILE', { key });
  return row;
}
