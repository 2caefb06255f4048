import { AppError } from '../errors/app-error.ts';
import { asUser, subjectOf } from '../events/actor.ts';
import { mustEnrol } from '../factors/confirmation.ts';
import { replaceFactor } from '../factors/second-factor.ts';
import { type ConfirmedDraft, consumeDraft, draftTotp, matchDraft, type TotpDraft } from '../factors/totp-draft.ts';
import type { CookieChange } from '../http/cookies.ts';
import type { Services } from '../http/route.ts';
import { lockActiveUser, lockUser } from '../users/queries.ts';
import { toUser } from '../users/user.ts';
import { completeSignIn } from './complete-sign-in.ts';
import type { SecondStep } from './find-second-step.ts';
import { consumeAttempt, guessesLeft, lockSecondStep } from './queries.ts';
import type { SecondStepAnswer } from './verify-second-step.ts';

type Needs = Pick<Services, 'database' | 'clock' | 'settings' | 'sealer' | 'dataSealer'>;

/** Returns whether the user must set up a second factor as the second step of a sign-in. */
export const isEnrolling = (settings: Services['settings'], { role, second_factor_at: secondFactorAt }: SecondStep) =>
  mustEnrol(settings, { role, secondFactorAt });

/**
 * Creates the draft of an authenticator app for an unfinished sign-in. It replaces an older draft of that sign-in.
 *
 * @throws AppError FIRST_STEP_REQUIRED if the sign-in has ended; SECOND_STEP_CODE_REQUIRED if the user has a second
 *   factor or needs none, because a first step alone must not replace a factor
 */
export function draftAtSignIn(
  { database, clock, settings, dataSealer }: Needs,
  { id, user_id: userId }: SecondStep,
): Promise<TotpDraft> {
  const now = clock.now();
  return database.transaction(async (tx) => {
    const row = await lockActiveUser.first(tx, { id: userId });
    if (!row || (await lockSecondStep.run(tx, { id, now })) === 0)
      throw new AppError('FIRST_STEP_REQUIRED', { userId });
    if (!mustEnrol(settings, toUser(row))) throw new AppError('SECOND_STEP_CODE_REQUIRED', { userId });
    return draftTotp(tx, dataSealer, { userId, holder: { secondStepId: id }, now });
  });
}

/** Uses up one attempt of the sign-in, then compares the code with the draft. */
async function matchFirstCode(
  { database, clock, dataSealer }: Needs,
  { id, user_id: userId }: SecondStep,
  { code }: SecondStepAnswer,
): Promise<ConfirmedDraft> {
  const now = clock.now();
  await database.transaction(async (tx) => {
    const isHeld = (await lockUser.run(tx, { id: userId })) > 0 && (await consumeAttempt.run(tx, { id, now })) > 0;
    if (!isHeld) throw new AppError('FIRST_STEP_REQUIRED', { userId });
  });
  const draft = { holder: { secondStepId: id }, code: code.text, now };
  return matchDraft(database, dataSealer, draft).catch((error: unknown) => {
    const isWrong = error instanceof AppError && error.code === 'TOTP_CODE_INCORRECT';
    throw isWrong ? new AppError('SECOND_STEP_CODE_INCORRECT', { userId }) : error;
  });
}

/**
 * Completes a sign-in with a code of the drafted authenticator app, which becomes the user's second factor.
 *
 * @returns the cookies to set, and ten recovery codes, which are shown only once
 * @throws AppError FIRST_STEP_REQUIRED if the sign-in has ended; TOTP_NOT_STARTED without a draft;
 *   SECOND_STEP_CODE_INCORRECT for a wrong code; APP_NOT_ALLOWED if the user may no longer use this service
 * @see OWASP ASVS 5.0 6.3.3
 */
export async function enrolAtSignIn(
  services: Needs,
  step: SecondStep,
  answer: SecondStepAnswer,
): Promise<{ cookies: CookieChange[]; recoveryCodes: string[] }> {
  const { clock, dataSealer } = services;
  const { user_id: id, username } = step;
  const { trustsDevice, browser } = answer;
  const draft = await matchFirstCode(services, step, answer);
  let recoveryCodes: string[] = [];
  const cookies = await completeSignIn(services, step, {
    trustsDevice,
    browser,
    prove: async (tx) => {
      if (!(await guessesLeft.first(tx, { id: step.id }))) throw new AppError('FIRST_STEP_REQUIRED', { userId: id });
      await consumeDraft(tx, draft);
      return 'totp';
    },
    onOpened: async (tx, { session }) => {
      const actor = asUser(browser.actor, subjectOf({ id, username }), session.ref);
      const factor = { user: { id, username }, secret: draft.secret, lastStep: draft.step };
      recoveryCodes = await replaceFactor(tx, { dataSealer, now: clock.now(), actor }, factor);
    },
  });
  return { cookies, recoveryCodes };
}
