import { accountsCookie } from '../accounts/accounts-cookie.ts';
import type { CookieChange } from '../http/cookies.ts';
import type { Sealer } from '../lib/sealing.ts';
import { methodCookie, sessionCookie } from '../sessions/session-cookie.ts';
import type { OpenedSession } from './open-session.ts';

/** What a browser gets with a new session. */
export const signInCookies = (
  sealer: Sealer,
  { session, device }: OpenedSession,
  { method, now }: { method: string; now: number },
): CookieChange[] => [
  sessionCookie(sealer, session, now),
  accountsCookie(sealer, device, session.expiresAt),
  methodCookie(method, now),
];
