import type { DataSealer } from '../db/data-keys.ts';
import type { Handle, Transaction } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import { type Actor, subjectOf } from '../events/actor.ts';
import type { Change } from '../events/change.ts';
import { recordEvent } from '../events/record-event.ts';
import { requireLockedSession } from '../sessions/find-session.ts';
import type { Session } from '../sessions/session.ts';
import type { Settings } from '../settings/table.ts';
import { lockUsers } from '../users/lock-users.ts';
import { lockActiveUser, lockUserById } from '../users/queries.ts';
import type { User } from '../users/user.ts';
import { isSecondFactorRequired } from './confirmation.ts';
import {
  deleteGuesses,
  deleteRecoveryCodesOfUser,
  deleteTotpFactorsOfUser,
  deleteTrustsOfUser,
  insertTotpFactor,
  totpFactorsOfUser,
} from './queries.ts';
import { renewRecoveryCodes } from './recovery-codes.ts';
import { TOTP_PURPOSE } from './totp-secret.ts';

/**
 * Returns the newest time step whose code was already used with a secret, according to the user's stored factors with
 * this secret. A factor that cannot be decrypted also counts, because it may have the same secret.
 */
async function usedStep(tx: Handle, dataSealer: DataSealer, { userId, secret }: { userId: number; secret: string }) {
  const former = await totpFactorsOfUser.all(tx, { userId });
  const steps = former
    .filter((row) => [undefined, secret].includes(dataSealer.open(TOTP_PURPOSE, row.secret)))
    .map((row) => row.last_step);
  return Math.max(0, ...steps);
}

/**
 * Replaces the authenticator app and the recovery codes of a user. Passkeys stay. Subscribers of the event end trusted
 * browsers and unfinished sign-ins.
 *
 * If the secret stays the same, codes that were used before stay used, because the app shows the same codes again.
 *
 * @param secret base32, from lib/totp.ts
 * @returns ten recovery codes, to be shown once
 * @throws AppError USER_NOT_FOUND if the user was removed meanwhile
 * @see RFC 6238 §5.2; OWASP ASVS 5.0 6.5.1
 */
export function enableSecondFactor(
  { database, dataSealer, now, actor }: Change & { dataSealer: DataSealer },
  user: Pick<User, 'id' | 'username'>,
  secret: string,
): Promise<string[]> {
  const { id: userId, username } = user;
  return database.transaction(async (tx) => {
    if (!(await lockUserById.first(tx, { id: userId }))) throw new AppError('USER_NOT_FOUND', { username });
    const lastStep = await usedStep(tx, dataSealer, { userId, secret });
    return replaceFactor(tx, { dataSealer, now, actor }, { user, secret, lastStep });
  });
}

interface NewFactor {
  user: Pick<User, 'id' | 'username'>;
  /** In base32. */
  secret: string;
  /** The newest time step whose codes are already used. */
  lastStep: number;
}

/**
 * Replaces the authenticator apps and recovery codes of a user with a new app and new codes. Passkeys stay. Records the
 * event.
 *
 * @param tx open transaction that has locked the user's row
 * @returns ten recovery codes, to be shown once
 */
export async function replaceFactor(
  tx: Transaction,
  { dataSealer, now, actor }: Omit<Change, 'database'> & { dataSealer: DataSealer },
  { user, secret, lastStep }: NewFactor,
): Promise<string[]> {
  const { id: userId } = user;
  const removed = await removeFactors(tx, userId);
  const sealed = dataSealer.seal(TOTP_PURPOSE, secret);
  await insertTotpFactor.run(tx, { userId, secret: sealed, keyId: dataSealer.keyId, lastStep, now });
  const codes = await renewRecoveryCodes(tx, dataSealer, userId);
  const details = { kind: 'totp', change: removed > 0 ? 'renewed' : 'added' } as const;
  await recordEvent(tx, { type: 'factor.changed', actor, subject: subjectOf(user), details });
  return codes;
}

/**
 * Removes a user's second factors and recovery codes. Subscribers of the event end trusted browsers and pending
 * sign-ins.
 *
 * @throws AppError TWO_FACTOR_NOT_ON
 */
export function disableSecondFactor(
  { database, actor }: Omit<Change, 'now'>,
  user: Pick<User, 'id' | 'username'>,
): Promise<void> {
  const { id: userId, username } = user;
  return database.transaction(async (tx) => {
    await lockUserById.first(tx, { id: userId });
    if ((await removeFactors(tx, userId)) === 0) throw new AppError('TWO_FACTOR_NOT_ON', { username });
    const details = { kind: 'totp', change: 'removed' } as const;
    await recordEvent(tx, { type: 'factor.changed', actor, subject: subjectOf(user), details });
  });
}

/**
 * Removes a user's second factors, if there are any.
 *
 * @param tx open transaction that has locked the user's row
 */
export async function removeSecondFactor(
  tx: Transaction,
  actor: Actor,
  user: Pick<User, 'id' | 'username'>,
): Promise<void> {
  const details = { kind: 'totp', change: 'removed' } as const;
  if ((await removeFactors(tx, user.id)) > 0)
    await recordEvent(tx, { type: 'factor.changed', actor, subject: subjectOf(user), details });
}

async function removeFactors(tx: Transaction, userId: number): Promise<number> {
  const removed = await deleteTotpFactorsOfUser.run(tx, { userId });
  await deleteRecoveryCodesOfUser.run(tx, { userId });
  await deleteGuesses.run(tx, { userId });
  return removed;
}

type OwnSession = Pick<Session, 'id' | 'userId'>;

/** Locks the user of a session and the session. Throws if the user has no second factor. */
async function lockFactorOwner(
  tx: Handle,
  session: OwnSession,
  now: number,
): Promise<Pick<User, 'id' | 'username' | 'role'>> {
  const user = await lockActiveUser.first(tx, { id: session.userId });
  if (!user) throw new AppError('NOT_SIGNED_IN');
  await requireLockedSession(tx, session, now);
  if (user.second_factor_at === null) throw new AppError('TWO_FACTOR_NOT_ON', { username: user.username });
  return user;
}

/**
 * Removes the second factor of a session's user. Has the same effect as the operator's `disableSecondFactor`.
 *
 * @throws AppError TWO_FACTOR_NOT_ON; SECOND_FACTOR_REQUIRED; NOT_SIGNED_IN if the session or the user has ended
 * meanwhile
 */
export function turnOffSecondFactor(
  { database, now, actor, settings }: Change & { settings: Pick<Settings, 'SECOND_FACTOR'> },
  session: OwnSession,
): Promise<void> {
  return database.transaction(async (tx) => {
    const user = await lockFactorOwner(tx, session, now);
    if (isSecondFactorRequired(settings, user)) throw new AppError('SECOND_FACTOR_REQUIRED');
    await removeSecondFactor(tx, actor, user);
  });
}

/**
 * Creates new recovery codes for the user of a session and deletes all old ones.
 *
 * @returns ten codes, to be shown once
 * @throws AppError TWO_FACTOR_NOT_ON; NOT_SIGNED_IN if the session or the user has ended meanwhile
 * @see OWASP ASVS 5.0 6.5.2
 */
export function replaceRecoveryCodes(
  { database, now, actor, dataSealer }: Change & { dataSealer: DataSealer },
  session: OwnSession,
): Promise<string[]> {
  return database.transaction(async (tx) => {
    const user = await lockFactorOwner(tx, session, now);
    const codes = await renewRecoveryCodes(tx, dataSealer, user.id);
    const details = { kind: 'recovery_codes', change: 'renewed' } as const;
    await recordEvent(tx, { type: 'factor.changed', actor, subject: subjectOf(user), details });
    return codes;
  });
}

/**
 * Ends a user's trust in all browsers.
 *
 * @returns how many trusts were deleted, including expired ones; if 0, no event is recorded
 */
export function endTrust(
  { database, actor }: Omit<Change, 'now'>,
  user: Pick<User, 'id' | 'username'>,
): Promise<number> {
  return database.transaction(async (tx) => {
    await lockUsers(tx, [user.id]);
    const count = await deleteTrustsOfUser.run(tx, { userId: user.id });
    const details = { kind: 'trusted_browser', change: 'removed', count } as const;
    if (count > 0) await recordEvent(tx, { type: 'factor.changed', actor, subject: subjectOf(user), details });
    return count;
  });
}
