import type { Handle } from '../db/handle.ts';
import type { ApplicationRow } from '../db/schema.ts';
import { AppError } from '../errors/app-error.ts';
import { type Application, toApplication } from './application.ts';
import { applicationByKey, lockApplication } from './queries.ts';

/**
 * The application with a key, in any case.
 *
 * @throws AppError APPLICATION_NOT_FOUND
 */
export async function getApplication(handle: Handle, key: string): Promise<Application> {
  const row = await applicationByKey.first(handle, { key: key.toLowerCase() });
  if (!row) throw new AppError('APPLICATION_NOT_FOUND', { key });
  return toApplication(row);
}

/**
 * Locks the row of an application until the transaction ends, so that its changes run one after the other.
 *
 * @param tx open transaction
 * @throws AppError APPLICATION_NOT_FOUND
 */
export async function getLockedApplication(tx: Handle, key: string): Promise<ApplicationRow> {
  const row = await lockApplication.first(tx, { key: key.toLowerCase() });
  if (!row) throw new AppError('APPLICATION_NOT_FOUND', { key });
  return row;
}
