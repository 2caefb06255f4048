import type { Handle } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import type { Actor } from '../events/actor.ts';
import { findUserById } from '../users/find-user.ts';
import type { User } from '../users/user.ts';

/**
 * Refuses a change to a superadmin by a token of scope admin. Without this check, a stolen token could be used to gain more
 * rights.
 *
 * @param roles the user's roles before and after the change
 * @throws AppError SESSION_REQUIRED
 */
export function requireTouchable({ tokenScope }: Actor, roles: readonly (string | undefined)[]): void {
  if (tokenScope === 'admin' && roles.includes('superadmin')) throw new AppError('SESSION_REQUIRED');
}

/**
 * Finds the user that the console is about to change.
 *
 * @throws AppError USER_NOT_FOUND; SESSION_REQUIRED if the user is a superadmin and the actor uses a token of scope admin
 */
export async function getTarget(handle: Handle, actor: Actor, id: number): Promise<User> {
  const user = await findUserById(handle, id);
  if (!user) throw new AppError('USER_NOT_FOUND', { id });
  requireTouchable(actor, [user.role]);
  return user;
}
