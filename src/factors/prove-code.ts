import { AppError } from '../errors/app-error.ts';
import type { Services } from '../http/route.ts';
import { lockUser } from '../users/queries.ts';
import type { SecondFactorCode } from './code.ts';
import { takeGuess } from './guesses.ts';
import { matchCode, type Proof, readTotpFactors } from './verify-code.ts';

/**
 * Counts a guess at an account's second factor, and then checks a code of an authenticator app. The caller must then
 * mark the code as used with `consumeProof`, which also checks a recovery code.
 *
 * @returns undefined if the code of an authenticator app is wrong or was used before
 * @throws AppError ACCOUNT_INACTIVE; TOO_MANY_CODES while the account must wait; SECOND_STEP_MISCONFIGURED if no
 * factor can be read
 */
export async function proveCode(
  { database, clock, dataSealer }: Pick<Services, 'database' | 'clock' | 'dataSealer'>,
  userId: number,
  code: SecondFactorCode,
): Promise<Proof | undefined> {
  await database.transaction(async (tx) => {
    if ((await lockUser.run(tx, { id: userId })) === 0) throw new AppError('ACCOUNT_INACTIVE', { userId });
    await takeGuess(tx, userId, clock.now());
  });
  const factors = code.kind === 'totp' ? await readTotpFactors(database, dataSealer, userId) : [];
  return matchCode(factors, code, clock.now());
}
