import type { Handle } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import type { Actor } from '../events/actor.ts';
import { findUserById } from '../users/find-user.ts';
import type { User } from '../users/user.ts';

/**
 * Refuses to let a token of scope admin touch a superadmin, so that a stolen token gives no one more rights.
 *
 * @param roles of the user: those before and after the change
 * @throws AppError SESSION_REQUIRED
 */
export function requireTouchable({ tokenScope }: Actor, roles: readonly (string | undefined)[]): void {
  if (tokenScope === 'admin' && roles.includes('superadmin')) throw new AppError('SESSION_REQUIRED');
}

/**
 * The user whom a change in the console is about.
 *
 * @throws AppError USER_NOT_FOUND; SESSION_REQUIRED for a superadmin, asked for by a token of scope admin
 */
export async function getTarget(handle: Handle, actor: Actor, id: number): Promise<User> {
  const user = await findUserById(handle, id);
  if (!user) throw new AppError('USER_NOT_FOUND', { id });
  requireTouchable(actor, [user.role]);
  return user;
}
