import type { Transaction } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import type { UsedFactor } from '../events/event-types.ts';
import { trustBrowser, trustCookie } from '../factors/trusted-browser.ts';
import type { CookieChange } from '../http/cookies.ts';
import type { Services } from '../http/route.ts';
import { lockUser } from '../users/queries.ts';
import type { SecondStep } from './find-second-step.ts';
import { type BrowserFacts, lockSignIn, type OpenedSession, openSession } from './open-session.ts';
import { deleteSecondStep } from './queries.ts';
import { clearedStep } from './second-step-cookie.ts';
import { signInCookies } from './sign-in-cookies.ts';

type Needs = Pick<Services, 'database' | 'clock' | 'settings' | 'sealer' | 'dataSealer'>;

interface Completion {
  trustsDevice: boolean;
  browser: BrowserFacts;
  /** Checks and consumes the proof of the second step, before the session is opened. Returns the kind of factor. */
  prove(tx: Transaction): Promise<UsedFactor>;
  /** Makes further changes after the session is opened, in the same transaction. */
  onOpened?(tx: Transaction, opened: OpenedSession): Promise<void>;
}

/**
 * Consumes the proof, opens the session, trusts the browser if the person asks for it, and deletes the unfinished
 * sign-in, all in one transaction.
 *
 * @returns the cookies to set
 * @throws AppError FIRST_STEP_REQUIRED if the sign-in has ended; APP_NOT_ALLOWED if the user may no longer use this
 *   service; any error of `prove` and `onOpened`
 */
export function completeSignIn(
  services: Needs,
  step: SecondStep,
  { trustsDevice, browser, prove, onOpened }: Completion,
): Promise<CookieChange[]> {
  const { database, clock, settings, dataSealer } = services;
  const { id, user_id: userId, method } = step;
  return database.transaction(async (tx) => {
    await lockSignIn(tx, { userId, browser });
    if ((await lockUser.run(tx, { id: userId })) === 0) throw new AppError('FIRST_STEP_REQUIRED', { userId });
    const secondFactor = await prove(tx);
    if ((await deleteSecondStep.run(tx, { id })) === 0) throw new AppError('FIRST_STEP_REQUIRED', { userId });
    const opened = await openSession(tx, services, { userId, method, secondFactor, browser });
    await onOpened?.(tx, opened);
    const isKept = trustsDevice && settings.DEVICE_TRUST_DURATION_DAYS > 0;
    const { userAgent = '' } = browser.actor;
    const trust = isKept ? await trustBrowser(tx, services, { userId, userAgent }) : undefined;
    const signIn = { userId, known: browser.known, method, now: clock.now() };
    const cookies = [clearedStep(step), ...signInCookies(services, opened, signIn)];
    return trust ? [...cookies, trustCookie(dataSealer, browser.trust, { userId, ...trust })] : cookies;
  });
}
