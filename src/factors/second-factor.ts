import type { Database, Handle } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import type { Sealer } from '../lib/sealing.ts';
import { endSessionsOfUser } from '../sessions/end-sessions.ts';
import { deleteSecondStepsOfUser } from '../sessions/queries.ts';
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
 * Gives a user a second factor in place of any former one. Former trust and recovery codes end with it.
 *
 * Needs   secret: base32, as lib/totp.ts makes or reads it.
 * Gives   ten recovery codes, to be shown once.
 * @throws AppError USER_NOT_FOUND if the user was removed meanwhile
 * Why     the same secret makes the same codes: those that were used stay used. Compared here, for the database holds
 *         secrets sealed, each time in another way.
 * Source  RFC 6238 §5.2; ASVS 5.0 6.5.1
 */
export function enableSecondFactor(
  { database, sealer, now }: { database: Database; sealer: Sealer; now: number },
  user: Pick<User, 'id' | 'username'>,
  secret: string,
): Promise<string[]> {
  return database.transaction(async (tx) => {
    const former = await lockTotp.first(tx, { id: user.id });
    if (!former) throw new AppError('USER_NOT_FOUND', { username: user.username });
    const lastStep = usedStep(sealer, former, secret);
    await setTotp.run(tx, { id: user.id, secret: sealer.seal(TOTP_PURPOSE, secret), lastStep, now });
    await endWaiting(tx, user.id);
    return renewRecoveryCodes(tx, sealer, user.id);
  });
}

/** Takes the second factor from a user. Gives false when there was none. */
export function disableSecondFactor(database: Database, userId: number): Promise<boolean> {
  return database.transaction(async (tx) => {
    await endWaiting(tx, userId);
    await deleteRecoveryCodesOfUser.run(tx, { userId });
    return (await clearTotp.run(tx, { id: userId })) > 0;
  });
}

async function endWaiting(tx: Handle, userId: number): Promise<void> {
  await deleteSecondStepsOfUser.run(tx, { userId });
  await deleteTrustsOfUser.run(tx, { userId });
}

/** Ends all that was opened with a password that counts no longer: sessions, sign-ins half done, trusted devices. */
export async function endAccess(tx: Handle, userId: number): Promise<void> {
  await endSessionsOfUser(tx, userId);
  await endWaiting(tx, userId);
}
