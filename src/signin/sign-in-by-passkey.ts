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
 * Finds out who signs in by a passkey.
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
 * Opens the session of a user who has proven who they are by a passkey. The authenticator has verified the user, so that
 * no second step is asked for.
 *
 * @returns what the browser gets with its new session
 * @throws AppError PASSKEY_REFUSED if the counter does not grow or the passkey was removed meanwhile; ACCOUNT_INACTIVE or
 *   APP_NOT_ALLOWED if the user was deactivated or lost the application meanwhile
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
