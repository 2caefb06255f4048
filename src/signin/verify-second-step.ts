import type { Transaction } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import type { UsedFactor } from '../events/event-types.ts';
import type { SecondFactorCode } from '../factors/code.ts';
import { takeGuess } from '../factors/guesses.ts';
import { consumeProof, matchCode, readTotpFactors } from '../factors/verify-code.ts';
import type { CookieChange } from '../http/cookies.ts';
import type { Services } from '../http/route.ts';
import { lockUser } from '../users/queries.ts';
import { completeSignIn } from './complete-sign-in.ts';
import type { SecondStep } from './find-second-step.ts';
import type { BrowserFacts } from './open-session.ts';
import { consumeAttempt } from './queries.ts';

type Needs = Pick<Services, 'database' | 'clock' | 'settings' | 'sealer' | 'dataSealer'>;

export interface SecondStepAnswer {
  code: SecondFactorCode;
  trustsDevice: boolean;
  browser: BrowserFacts;
}

/** Uses up one guess of the account and one attempt of this sign-in, before the code is checked. */
function takeGuesses({ database, clock }: Needs, { id, user_id: userId }: SecondStep): Promise<void> {
  const now = clock.now();
  return database.transaction(async (tx) => {
    if ((await lockUser.run(tx, { id: userId })) === 0) throw new AppError('FIRST_STEP_REQUIRED', { userId });
    await takeGuess(tx, userId, now);
    // Thrown inside the transaction, so that its rollback returns the account's guess.
    if ((await consumeAttempt.run(tx, { id, now })) === 0) throw new AppError('FIRST_STEP_REQUIRED', { userId });
  });
}

/**
 * Completes a sign-in with its second factor.
 *
 * @returns the cookies to set
 * @throws AppError FIRST_STEP_REQUIRED if the sign-in has ended; TOO_MANY_CODES while the account must wait;
 *   SECOND_STEP_CODE_INCORRECT for a wrong or used code; SECOND_STEP_MISCONFIGURED if no factor can be read;
 *   APP_NOT_ALLOWED if the user may no longer use this service
 * @see RFC 6238 §5.2; OWASP ASVS 5.0 6.5.1, 6.6.3
 */
export async function verifySecondStep(
  services: Needs,
  step: SecondStep,
  { code, ...rest }: SecondStepAnswer,
): Promise<CookieChange[]> {
  const { database, clock, dataSealer } = services;
  const { user_id: userId } = step;
  await takeGuesses(services, step);
  const factors = code.kind === 'totp' ? await readTotpFactors(database, dataSealer, userId) : [];
  const proof = matchCode(factors, code, clock.now());
  if (!proof) throw new AppError('SECOND_STEP_CODE_INCORRECT', { userId });
  const prove = async (tx: Transaction): Promise<UsedFactor> => {
    const isUsed = await consumeProof(tx, dataSealer, { userId, proof, now: clock.now() });
    if (!isUsed) throw new AppError('SECOND_STEP_CODE_INCORRECT', { userId });
    return proof.kind === 'recovery' ? 'recovery_code' : 'totp';
  };
  return completeSignIn(services, step, { ...rest, prove });
}
