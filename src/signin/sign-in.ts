import { AppError } from '../errors/app-error.ts';
import type { Services } from '../http/route.ts';
import { deleteSessionOfUser } from '../sessions/queries.ts';
import { type StartedSession, startSession } from '../sessions/start-session.ts';
import type { UserWithHash } from '../users/find-user.ts';
import { recordPasswordLogin } from '../users/queries.ts';

/** The device that signs in. */
export interface Device {
  address: string;
  userAgent: string;
  /** The session that the browser had before, if any. */
  sessionBefore: string | undefined;
}

/**
 * Opens a session for a user whose password was just verified.
 *
 * Gives   the new session; one of the same user that the browser had before has ended.
 * Throws  AppError PASSWORD_INCORRECT when the password was changed, or the user deactivated, while it was verified.
 */
export function signIn(
  { database, clock, settings }: Pick<Services, 'database' | 'clock' | 'settings'>,
  user: UserWithHash,
  { address, userAgent, sessionBefore }: Device,
): Promise<StartedSession> {
  const now = clock.now();
  return database.transaction(async (tx) => {
    const recorded = await recordPasswordLogin.run(tx, { id: user.id, hash: user.passwordHash, now });
    if (recorded === 0) throw new AppError('PASSWORD_INCORRECT', { userId: user.id });
    if (sessionBefore) await deleteSessionOfUser.run(tx, { id: sessionBefore, userId: user.id });
    return startSession(tx, { userId: user.id, method: 'password', address, userAgent, now }, settings);
  });
}
