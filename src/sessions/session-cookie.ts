import type { CookieChange } from '../http/cookies.ts';
import type { Sealer } from '../lib/sealing.ts';
import { sealSessionId } from './sealed-id.ts';
import type { StartedSession } from './start-session.ts';

const YEAR_MS = 365 * 24 * 60 * 60 * 1000;

/** Creates the cookie of a session. Cookie and session expire at the same time. */
export const sessionCookie = (
  sealer: Sealer,
  { id, expiresAt }: Pick<StartedSession, 'id' | 'expiresAt'>,
  now: number,
): CookieChange => ({ cookie: 'session', value: sealSessionId(sealer, id, now), expiresAt });

/** Creates the cookie that lets the login page mark the method of this browser's last sign-in. */
export const methodCookie = (method: string, now: number): CookieChange => ({
  cookie: 'lastLoginMethod',
  value: method,
  expiresAt: now + YEAR_MS,
});
