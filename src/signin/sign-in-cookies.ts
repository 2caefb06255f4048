import { accountsCookie } from '../accounts/accounts-cookie.ts';
import type { CookieChange } from '../http/cookies.ts';
import type { Services } from '../http/route.ts';
import { methodCookie, sessionCookie } from '../sessions/session-cookie.ts';
import { type KnownBrowser, knownBrowserCookie } from './known-browser.ts';
import type { OpenedSession } from './open-session.ts';

interface SignIn {
  userId: number;
  /** The browser's mark before this sign-in. */
  known: KnownBrowser;
  method: string;
  now: number;
}

/** Returns the cookies that a browser gets with a new session. */
export const signInCookies = (
  { sealer, dataSealer }: Pick<Services, 'sealer' | 'dataSealer'>,
  { session, device }: OpenedSession,
  { userId, known, method, now }: SignIn,
): CookieChange[] => [
  sessionCookie(sealer, session, now),
  accountsCookie(sealer, device, session.expiresAt),
  methodCookie(method, now),
  knownBrowserCookie(dataSealer, known, { userId, now }),
];
