import { AppError } from '../errors/app-error.ts';
import type { Change } from '../events/change.ts';
import { insertHashed, type NewUser } from '../users/add-user.ts';
import type { User } from '../users/user.ts';

/**
 * Adds a user without a password. The user later chooses one through an invitation link.
 *
 * @throws AppError USERNAME_INVALID; USERNAME_TAKEN
 */
export async function addUserWithoutPassword(
  { database, now, actor, appName }: Change & { appName: string },
  user: Omit<NewUser, 'password'>,
): Promise<User> {
  const added = await database.transaction((tx) => insertHashed(tx, { appName, now, actor }, { ...user, hash: '' }));
  if (!added) throw new AppError('USERNAME_TAKEN', { field: 'username', username: user.name });
  return added;
}
