import type { Handle } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import type { Session } from '../sessions/session.ts';
import { findUserById, type UserWithHash } from '../users/find-user.ts';

/**
 * Returns the user of a session.
 *
 * @throws AppError NOT_SIGNED_IN if the user was removed meanwhile
 */
export async function getOwnUser(handle: Handle, { userId }: Pick<Session, 'userId'>): Promise<UserWithHash> {
  const user = await findUserById(handle, userId);
  if (!user) throw new AppError('NOT_SIGNED_IN');
  return user;
}
