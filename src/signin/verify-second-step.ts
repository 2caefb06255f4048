import { AppError } from '../errors/app-error.ts';
import type { SecondFactorCode } from '../factors/code.ts';
import { takeGuess } from '../factors/guesses.ts';
import { trustBrowser, trustCookie } from '../factors/trusted-browser.ts';
import { consumeProof, matchCode, type Proof, readTotpFactors } from '../factors/verify-code.ts';
import type { CookieChange } from '../http/cookies.ts';
import type { Services } from '../http/route.ts';
import { lockUser } from '../users/queries.ts';
import type { SecondStep } from './find-second-step.ts';
import { type BrowserFacts, lockSignIn, openSession } from './open-session.ts';
import { consumeAttempt, deleteSecondStep } from './queries.ts';
import { clearedStep } from './second-step-cookie.ts';
import { signInCookies } from './sign-in-cookies.ts';

type Needs = Pick<Services, 'database' | 'clock' | 'settings' | 'sealer' | 'dataSealer'>;

export interface SecondStepAnswer {
  code: SecondFactorCode;
  trustsDevice: boolean;
  browser: BrowserFacts;
}

/** Uses one guess of the account and of this sign-in before the code is checked. */
function takeGuesses({ database, clock }: Needs, { id, user_id: userId }: SecondStep): Promise<void> {
  const now = clock.now();
  return database.transaction(async (tx) => {
    if ((await lockUser.run(tx, { id: userId })) === 0) throw new AppError('FIRST_STEP_REQUIRED', { userId });
    await takeGuess(tx, userId, now);
    // Thrown inside the transaction, so that an unchecked code costs the account no guess.
    if ((await consumeAttempt.run(tx, { id, now })) === 0) throw new AppError('FIRST_STEP_REQUIRED', { userId });
  });
}

/** Uses up the code, opens the session, trusts the browser and ends the waiting sign-in, in one transaction. */
function completeSignIn(
  services: Needs,
  step: SecondStep,
  { proof, trustsDevice, browser }: Omit<SecondStepAnswer, 'code'> & { proof: Proof },
): Promise<CookieChange[]> {
  const { database, clock, settings, dataSealer } = services;
  const { id, user_id: userId } = step;
  return database.transaction(async (tx) => {
    await lockSignIn(tx, { userId, browser });
    if ((await lockUser.run(tx, { id: userId })) === 0) throw new AppError('FIRST_STEP_REQUIRED', { userId });
    const isUsed = await consumeProof(tx, dataSealer, { userId, proof, now: clock.now() });
    if (!isUsed) throw new AppError('SECOND_STEP_CODE_INCORRECT', { userId });
    if ((await deleteSecondStep.run(tx, { id })) === 0) throw new AppError('FIRST_STEP_REQUIRED', { userId });
    const secondFactor = proof.kind === 'recovery' ? 'recovery_code' : 'totp';
    const opened = await openSession(tx, services, { userId, method: step.method, secondFactor, browser });
    const isKept = trustsDevice && settings.DEVICE_TRUST_DURATION_DAYS > 0;
    const { userAgent = '' } = browser.actor;
    const trust = isKept ? await trustBrowser(tx, services, { userId, userAgent }) : undefined;
    const signIn = { userId, known: browser.known, method: step.method, now: clock.now() };
    const cookies = [clearedStep(step), ...signInCookies(services, opened, signIn)];
    return trust ? [...cookies, trustCookie(dataSealer, browser.trust, { userId, ...trust })] : cookies;
  });
}

/**
 * Completes a sign-in with its second factor.
 *
 * @returns what the browser gets with its new session
 * @throws AppError FIRST_STEP_REQUIRED if the sign-in has ended; TOO_MANY_CODES while the account must wait;
 *   SECOND_STEP_CODE_INCORRECT for a wrong or used code; SECOND_STEP_MISCONFIGURED if no factor can be read
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
  return completeSignIn(services, step, { ...rest, proof });
}
