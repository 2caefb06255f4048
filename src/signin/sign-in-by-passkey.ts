import { AppError } from '../errors/app-error.ts';
import { type PasskeyAnswer, type ProvenPasskey, provePasskey, usePasskey } from '../factors/prove-passkey.ts';
import type { CookieChange } from '../http/cookies.ts';
import type { Services } from '../http/route.ts';
import { lockUser } from '../users/queries.ts';
import { mayUseApp } from '../users/user.ts';
import { type BrowserFacts, lockSignIn, openSession } from './open-session.ts';
import { signInCookies } from './sign-in-cookies.ts';

type Needs = Pick<Services, 'database' | 'clock' | 'settings' | 'sealer' | 'dataSealer' | 'baseUrl'>;

/**
 * Verifies the answer of a passkey and returns who signs in.
 *
 * @throws AppError PASSKEY_REFUSED for every wrong answer; ACCOUNT_INACTIVE and APP_NOT_ALLOWED only for a right one
 */
export async function verifyPasskey(services: Needs, answer: Omit<PasskeyAnswer, 'purpose'>): Promise<ProvenPasskey> {
  const proven = await provePasskey(services, { ...answer, purpose: 'sign-in' });
  const { user, userId } = proven;
  if (user.deactivatedAt !== null) throw new AppError('ACCOUNT_INACTIVE', { userId });
  if (!mayUseApp(user, services.settings.APP_NAME)) throw new AppError('APP_NOT_ALLOWED', { userId });
  return proven;
}

/**
 * Opens the session of a user who has signed in by a passkey. No second step follows, because the authenticator has
 * verified the user.
 *
 * @returns the cookies to set
 * @throws AppError PASSKEY_REFUSED if the counter does not grow or the passkey no longer exists; ACCOUNT_INACTIVE or
 *   APP_NOT_ALLOWED if the user was deactivated or lost access to the application since the answer was verified
 */
export function completePasskeySignIn(
  services: Needs,
  proven: ProvenPasskey,
  browser: BrowserFacts,
): Promise<CookieChange[]> {
  const { database, clock } = services;
  const { userId, ref: passkeyRef } = proven;
  return database.transaction(async (tx) => {
    await lockSignIn(tx, { userId, browser });
    if ((await lockUser.run(tx, { id: userId })) === 0) throw new AppError('ACCOUNT_INACTIVE', { userId });
    const now = clock.now();
    await usePasskey(tx, proven, now);
    const facts = { userId, method: 'passkey', secondFactor: 'passkey', passkeyRef, browser } as const;
    const opened = await openSession(tx, services, facts);
    return signInCookies(services, opened, { userId, known: browser.known, method: 'passkey', now });
  });
}
