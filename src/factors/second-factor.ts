import { AppError } from '../errors/app-error.ts';
import { subjectOf } from '../events/actor.ts';
import type { Change } from '../events/change.ts';
import { recordEvent } from '../events/record-event.ts';
import type { Sealer } from '../lib/sealing.ts';
import type { User } from '../users/user.ts';
import { clearTotp, deleteRecoveryCodesOfUser, deleteTrustsOfUser, lockTotp, setTotp } from './queries.ts';
import { renewRecoveryCodes } from './recovery-codes.ts';
import { TOTP_PURPOSE } from './totp-secret.ts';

type Former = NonNullable<Awaited<ReturnType<typeof lockTotp.first>>>;

/** The step up to which codes are used: that of the former secret where it is the same, or may be as it cannot be read. */
function usedStep(sealer: Sealer, former: Former, secret: string): number {
  if (former.totp_secret === null) return 0;
  const known = sealer.open(TOTP_PURPOSE, former.totp_secret);
  return known === undefined || known === secret ? former.totp_last_step : 0;
}

/**
 * Gives a user a second factor in place of any former one. Former trust and recovery codes end with it, as do sign-ins
 * that wait: subscribers of the event see to that.
 *
 * Needs   secret: base32, as lib/totp.ts makes or reads it.
 * Gives   ten recovery codes, to be shown once.
 * @throws AppError USER_NOT_FOUND if the user was removed meanwhile
 * Why     the same secret makes the same codes: those that were used stay used. Compared here, for the database holds
 *         secrets sealed, each time in another way.
 * Source  RFC 6238 §5.2; ASVS 5.0 6.5.1
 */
export function enableSecondFactor(
  { database, sealer, now, actor }: Change & { sealer: Sealer },
  user: Pick<User, 'id' | 'username'>,
  secret: string,
): Promise<string[]> {
  return database.transaction(async (tx) => {
    const former = await lockTotp.first(tx, { id: user.id });
    if (!former) throw new AppError('USER_NOT_FOUND', { username: user.username });
    const lastStep = usedStep(sealer, former, secret);
    await setTotp.run(tx, { id: user.id, secret: sealer.seal(TOTP_PURPOSE, secret), lastStep, now });
    const details = { kind: 'totp', change: former.totp_secret === null ? 'added' : 'renewed' } as const;
    await recordEvent(tx, { type: 'factor.changed', actor, subject: subjectOf(user), details });
    return renewRecoveryCodes(tx, sealer, user.id);
  });
}

/**
 * Removes the second factor of a user, with its recovery codes.
 *
 * @throws AppError TWO_FACTOR_NOT_ON
 */
export function disableSecondFactor(
  { database, actor }: Omit<Change, 'now'>,
  user: Pick<User, 'id' | 'username'>,
): Promise<void> {
  return database.transaction(async (tx) => {
    const removed = await clearTotp.run(tx, { id: user.id });
    if (removed === 0) throw new AppError('TWO_FACTOR_NOT_ON', { username: user.username });
    await deleteRecoveryCodesOfUser.run(tx, { userId: user.id });
    const details = { kind: 'totp', change: 'removed' } as const;
    await recordEvent(tx, { type: 'factor.changed', actor, subject: subjectOf(user), details });
  });
}

/**
 * Ends the trust of all browsers of a user.
 *
 * @returns their number; none leaves no event
 */
export function endTrust(
  { database, actor }: Omit<Change, 'now'>,
  user: Pick<User, 'id' | 'username'>,
): Promise<number> {
  return database.transaction(async (tx) => {
    const count = await deleteTrustsOfUser.run(tx, { userId: user.id });
    const details = { kind: 'trusted_browser', change: 'removed', count } as const;
    if (count > 0) await recordEvent(tx, { type: 'factor.changed', actor, subject: subjectOf(user), details });
    return count;
  });
}
