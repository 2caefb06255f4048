import { AppError } from '../errors/app-error.ts';
import { subjectOf } from '../events/actor.ts';
import type { Change } from '../events/change.ts';
import { recordEvent } from '../events/record-event.ts';
import { isRef } from '../lib/random.ts';
import { requireLockedSession } from '../sessions/find-session.ts';
import { deleteSessionByRef } from '../sessions/own-session-queries.ts';
import { deleteOtherSessions } from '../sessions/queries.ts';
import type { Session } from '../sessions/session.ts';
import { lockActiveUser } from '../users/queries.ts';

/**
 * Ends another session of the same user.
 *
 * @throws AppError REF_UNKNOWN if the user has no such session; NOT_SIGNED_IN if the current session has ended
 * meanwhile
 */
export async function endOwnSession(
  { database, now, actor }: Change,
  session: Pick<Session, 'id' | 'userId'>,
  ref: string,
): Promise<void> {
  const { userId } = session;
  if (!isRef(ref)) throw new AppError('REF_UNKNOWN');
  return database.transaction(async (tx) => {
    const user = await lockActiveUser.first(tx, { id: userId });
    if (!user) throw new AppError('NOT_SIGNED_IN');
    await requireLockedSession(tx, session, now);
    if ((await deleteSessionByRef.run(tx, { userId, ref, now })) === 0) throw new AppError('REF_UNKNOWN');
    const details = { reason: 'self', sessions: 1 } as const;
    await recordEvent(tx, { type: 'session.ended', actor, subject: subjectOf(user), details });
  });
}

/**
 * Ends all other sessions of the same user.
 *
 * @returns how many sessions were ended; if 0, no event is recorded
 * @throws AppError NOT_SIGNED_IN if the current session has ended meanwhile
 */
export function endOtherSessions(
  { database, now, actor }: Change,
  session: Pick<Session, 'id' | 'ref' | 'userId'>,
): Promise<number> {
  const { ref, userId } = session;
  return database.transaction(async (tx) => {
    const user = await lockActiveUser.first(tx, { id: userId });
    if (!user) throw new AppError('NOT_SIGNED_IN');
    await requireLockedSession(tx, session, now);
    const ended = await deleteOtherSessions.all(tx, { userId, keep: ref });
    const sessions = ended.filter(({ expires_at: expiresAt }) => expiresAt > now).length;
    const details = { reason: 'self', sessions } as const;
    if (sessions > 0) await recordEvent(tx, { type: 'session.ended', actor, subject: subjectOf(user), details });
    return sessions;
  });
}
