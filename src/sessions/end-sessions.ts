import type { Handle, Transaction } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import { type Actor, asUser, type Subject, subjectOf } from '../events/actor.ts';
import type { Change } from '../events/change.ts';
import type { EventDetails } from '../events/event-types.ts';
import { recordEvent } from '../events/record-event.ts';
import { lockAllUsers, lockUsers } from '../users/lock-users.ts';
import { usernameById } from '../users/queries.ts';
import { deleteSessionByRef, ownerOfSession } from './own-session-queries.ts';
import { deleteAllSessions, deleteOtherSessions, deleteSession, deleteSessionsOfUser } from './queries.ts';

type Reason = EventDetails['session.ended']['reason'];

/** A session that was just deleted. */
export interface EndedSession {
  id: string;
  ref: string;
  user_id: number;
}

/**
 * Ends all sessions of a user, or all but one.
 *
 * @param keep the ref of a session that stays active
 * @returns the number of ended sessions
 */
export const endSessionsOfUser = (handle: Handle, userId: number, keep?: string): Promise<number> =>
  keep === undefined ? deleteSessionsOfUser.run(handle, { userId }) : deleteOtherSessions.run(handle, { userId, keep });

/**
 * Returns the user of a session that this transaction has deleted. Until the transaction ends, no other transaction can
 * remove that user.
 */
async function subjectById(tx: Handle, userId: number): Promise<Subject> {
  const user = await usernameById.first(tx, { id: userId });
  if (!user) throw new Error('the user of an ended session was not found');
  return subjectOf(user);
}

/** Records one event for the ended sessions of one user. */
function recordEnd(
  tx: Transaction,
  actor: Actor,
  subject: Subject,
  details: { reason: Reason; sessions: number },
  endsAll = false,
) {
  const changesNothing = details.sessions === 0;
  return recordEvent(tx, { type: 'session.ended', actor, subject, details, endsAll, changesNothing });
}

/**
 * Records that the user of a browser has ended sessions in it. A browser can hold sessions of several users, so this
 * records one event per user, with that user as the actor.
 *
 * @param tx the transaction that has deleted the sessions
 */
export async function recordOwnEnds(
  tx: Transaction,
  { actor, ended, reason }: { actor: Actor; ended: readonly EndedSession[]; reason: Reason },
): Promise<void> {
  for (const userId of new Set(ended.map((session) => session.user_id))) {
    const own = ended.filter((session) => session.user_id === userId);
    const subject = await subjectById(tx, userId);
    const as = asUser(actor, subject, own[0]?.ref ?? '');
    await recordEnd(tx, as, subject, { reason, sessions: own.length });
  }
}

/**
 * Ends one session, named by its id.
 *
 * @throws AppError SESSION_NOT_FOUND
 */
export function endSession({ database, actor }: Omit<Change, 'now'>, id: string, reason: Reason): Promise<void> {
  return database.transaction(async (tx) => {
    const ended = await deleteSession.first(tx, { id: id.toLowerCase() });
    if (!ended) throw new AppError('SESSION_NOT_FOUND', { id });
    await recordEnd(tx, actor, await subjectById(tx, ended.user_id), { reason, sessions: 1 });
  });
}

/**
 * Ends one session of any user, named by its ref.
 *
 * @throws AppError REF_UNKNOWN
 */
export function endSessionByRef({ database, now, actor }: Change, ref: string, reason: Reason): Promise<void> {
  return database.transaction(async (tx) => {
    const owner = await ownerOfSession.first(tx, { ref });
    if (!owner) throw new AppError('REF_UNKNOWN');
    await lockUsers(tx, [owner.id]);
    if ((await deleteSessionByRef.run(tx, { userId: owner.id, ref, now })) === 0) throw new AppError('REF_UNKNOWN');
    await recordEnd(tx, actor, subjectOf(owner), { reason, sessions: 1 });
  });
}

/**
 * Ends all sessions of a user, in every browser.
 *
 * It also ends access that can outlive a session, such as the tokens that applications keep.
 *
 * @returns the number of ended sessions
 */
export function endUserSessions(
  { database, actor }: Omit<Change, 'now'>,
  user: { id: number; username: string },
  reason: Reason,
): Promise<number> {
  return database.transaction(async (tx) => {
    await lockUsers(tx, [user.id]);
    const sessions = await endSessionsOfUser(tx, user.id);
    await recordEnd(tx, actor, subjectOf(user), { reason, sessions }, true);
    return sessions;
  });
}

/**
 * Ends the sessions of all users. Subscribers to the recorded event also end access that outlives a session.
 *
 * @returns the number of ended sessions
 */
export function endAllSessions({ database, actor }: Omit<Change, 'now'>): Promise<number> {
  return database.transaction(async (tx) => {
    await lockAllUsers(tx);
    const sessions = await deleteAllSessions.run(tx, {});
    await recordEvent(tx, { type: 'sessions.ended_all', actor, subject: null, details: { sessions } });
    return sessions;
  });
}
