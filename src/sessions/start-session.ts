import type { Handle } from '../db/handle.ts';
import { DAY_MS } from '../lib/clock.ts';
import { newRef, newUuid } from '../lib/random.ts';
import type { Settings } from '../settings/table.ts';
import type { AuthenticationMethod } from './amr.ts';
import { type AccountListName, deleteOldestSessions, insertSession } from './queries.ts';
import type { SignInMethod } from './session.ts';

const MAX_USER_AGENT = 255;

export interface StartedSession {
  id: string;
  ref: string;
  expiresAt: number;
  /** How many other sessions of the user were deleted: the oldest ones above the limit, and expired ones. */
  ended: number;
}

export interface SessionStart {
  userId: number;
  method: SignInMethod;
  amr: readonly AuthenticationMethod[];
  /** The ref of the passkey that opens the session. */
  passkeyRef?: string | undefined;
  address: string;
  userAgent: string;
  /** The account list to which the session is added. */
  device: AccountListName;
  /** Until when the sign-in confirms the session; null if it does not confirm it. */
  confirmedUntil: number | null;
  now: number;
}

/**
 * Starts a session and ends the user's oldest sessions above the limit.
 *
 * The id is always new, so an id that an attacker planted before sign-in is worthless.
 *
 * @param tx open transaction that has locked the user's row, so that sign-ins of one user run one after another
 * @returns id: unsealed UUID v4; expiresAt: milliseconds since the epoch, UTC
 * @see docs/interface.md Sessions; OWASP ASVS 5.0 7.2.4, 2.3.2
 */
export async function startSession(
  tx: Handle,
  start: SessionStart,
  { COOKIE_EXPIRE_TIME, MAX_SESSIONS_PER_USER }: Pick<Settings, 'COOKIE_EXPIRE_TIME' | 'MAX_SESSIONS_PER_USER'>,
): Promise<StartedSession> {
  const { userId, now } = start;
  const id = newUuid();
  const ref = newRef();
  const expiresAt = now + Math.floor(COOKIE_EXPIRE_TIME * DAY_MS);
  const userAgent = start.userAgent.slice(0, MAX_USER_AGENT).replaceAll('\0', '');
  const amr = JSON.stringify(start.amr);
  const { passkeyRef = null } = start;
  await insertSession.run(tx, { ...start, ...start.device, id, ref, userAgent, amr, passkeyRef, expiresAt });
  const ended = await deleteOldestSessions.run(tx, { userId, newest: id, keep: MAX_SESSIONS_PER_USER, now });
  return { id, ref, expiresAt, ended };
}
