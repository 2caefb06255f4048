import type { Call } from '../http/route.ts';
import { sealSessionId } from './sealed-id.ts';
import type { SignInMethod } from './session.ts';
import type { StartedSession } from './start-session.ts';

const YEAR_MS = 365 * 24 * 60 * 60 * 1000;

/** Gives the browser its session. Cookie and session end at the same moment. */
export function setSessionCookie(
  { reply, services }: Call,
  { id, expiresAt }: Pick<StartedSession, 'id' | 'expiresAt'>,
): void {
  const { cookies, sealer, clock } = services;
  const now = clock.now();
  cookies.set(reply, 'session', sealSessionId(sealer, id, now), { expiresAt, now });
}

/** Lets the login page mark the way by which this browser signed in last. */
export function setMethodCookie({ reply, services }: Call, method: SignInMethod): void {
  const now = services.clock.now();
  services.cookies.set(reply, 'lastLoginMethod', method, { expiresAt: now + YEAR_MS, now });
}

/** Takes the session from the browser, and what its cache holds of the signed-in pages. */
export function clearSessionCookie({ reply, services }: Call): void {
  services.cookies.clear(reply, 'session');
  reply.header('clear-site-data', '"cache"');
}
