import { accountsCookie } from '../accounts/accounts-cookie.ts';
import type { CookieChange } from '../http/cookies.ts';
import type { Sealer } from '../lib/sealing.ts';
import { methodCookie, sessionCookie } from '../sessions/session-cookie.ts';
import type { OpenedSession } from './open-session.ts';

/** What a browser gets with a new session; a sign-in that waited in it for its second step is over. */
export const signInCookies = (
  sealer: Sealer,
  { session, device }: OpenedSession,
  { method, now }: { method: string; now: number },
): CookieChange[] => [
  { clear: 'secondStep' },
  sessionCookie(sealer, session, now),
  accountsCookie(sealer, device, session.expiresAt),
  methodCookie(method, now),
];
