import type { Transaction } from '../db/handle.ts';
import { takeTransactionLock } from '../db/transaction-lock.ts';
import { AppError } from '../errors/app-error.ts';
import { otherSuperadmin } from './queries.ts';
import type { User } from './user.ts';

const LOCK = 7_041_776_203;

/** Makes transactions that remove or demote superadmins run one after another. Call it before a user's row is locked. */
export const lockSuperadmins = (tx: Transaction): Promise<void> => takeTransactionLock(tx, LOCK);

/** Returns whether a user is an active superadmin. */
export const isActiveSuperadmin = ({ role, deactivatedAt }: Pick<User, 'role' | 'deactivatedAt'>): boolean =>
  role === 'superadmin' && deactivatedAt === null;

/**
 * Throws if there is no other active superadmin, so that the last one cannot be removed.
 *
 * @param tx transaction that has called `lockSuperadmins`
 * @throws AppError LAST_SUPERADMIN
 */
export async function requireOtherSuperadmin(tx: Transaction, { id, username }: Pick<User, 'id' | 'username'>) {
  if (!(await otherSuperadmin.first(tx, { id }))) throw new AppError('LAST_SUPERADMIN', { username });
}
