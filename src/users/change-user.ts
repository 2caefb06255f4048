import type { Handle } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import { getUser } from './find-user.ts';
import { updateUser } from './queries.ts';
import { type Role, toUser, type User } from './user.ts';

/** What is to be changed; what is left out stays. */
export interface UserChange {
  fullName?: string | undefined;
  role?: Role | undefined;
  apps?: string[] | undefined;
  image?: string | undefined;
  isActive?: boolean | undefined;
}

/**
 * Changes a user in an open transaction.
 *
 * @throws AppError USER_NOT_FOUND
 */
export async function changeUser(tx: Handle, name: string, change: UserChange, now: number): Promise<User> {
  const { id } = await getUser(tx, name);
  const row = await updateUser.first(tx, {
    id,
    full_name: change.fullName,
    role: change.role,
    allowed_apps: change.apps && JSON.stringify(change.apps),
    image: change.image,
    deactivated_at: deactivation(change.isActive, now),
  });
  if (!row) throw new AppError('USER_NOT_FOUND', { username: name });
  return toUser(row);
}

function deactivation(isActive: boolean | undefined, now: number): number | null | undefined {
  if (isActive === undefined) return undefined;
  return isActive ? null : now;
}
