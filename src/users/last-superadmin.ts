import type { Transaction } from '../db/handle.ts';
import { takeTransactionLock } from '../db/transaction-lock.ts';
import { AppError } from '../errors/app-error.ts';
import { otherSuperadmin } from './queries.ts';
import type { User } from './user.ts';

const LOCK = 7_041_776_203;

/** Lets only one transaction at a time remove superadmins. Call it before a user's row is locked. */
export const lockSuperadmins = (tx: Transaction): Promise<void> => takeTransactionLock(tx, LOCK);

/** Whether a user may sign in as a superadmin. */
export const isActiveSuperadmin = ({ role, deactivatedAt }: Pick<User, 'role' | 'deactivatedAt'>): boolean =>
  role === 'superadmin' && deactivatedAt === null;

/**
 * Refuses to remove the last superadmin.
 *
 * @param tx has called `lockSuperadmins`
 * @throws AppError LAST_SUPERADMIN
 */
export async function requireOtherSuperadmin(tx: Transaction, { id, username }: Pick<User, 'id' | 'username'>) {
  if (!(await otherSuperadmin.first(tx, { id }))) throw new AppError('LAST_SUPERADMIN', { username });
}
