import type { Handle } from '../db/handle.ts';
import type { Lookup, LookupCache } from '../db/lookup-cache.ts';
import { AppError } from '../errors/app-error.ts';
import type { Services } from '../http/route.ts';
import type { CheckCounts, CheckSource } from '../lib/counts.ts';
import { mayUseApp } from '../users/user.ts';
import type { LastSeen } from './last-seen.ts';
import { activeSession, lockSession } from './queries.ts';
import { type Session, toSession } from './session.ts';

declare module '../http/route.ts' {
  interface Services {
    /** Cache of active sessions, by session id. */
    sessionCache: LookupCache<Session>;
    lastSeen: LastSeen;
    /** Counts the session checks that other programs request. */
    sessionChecks: CheckCounts;
  }
}

/** One check of a session: for which application it is, and where it found the session. */
export interface SessionLookup {
  /** The application that the user must be allowed to use. */
  appName: string;
  source: CheckSource;
}

/**
 * Reads an active session from the database. A session is active if it has neither ended nor expired and its user is
 * active.
 *
 * @param id in lower case
 */
export async function readSession(handle: Handle, id: string, now: number): Promise<Session | undefined> {
  const row = await activeSession.first(handle, { id, now });
  return row && toSession(row);
}

interface FindNeeds extends Pick<Services, 'database' | 'lastSeen' | 'clock'> {
  sessionCache: Lookup<Session>;
}

/**
 * Finds the active session with the given id, if its user may use the application.
 *
 * A session stays in the cache until the session or its user changes. The cache is used only while the change feed is
 * complete. A cached session contains only data of database rows, so each call decides anew whether the user may use the
 * application. If an id has no active session, nothing is cached.
 *
 * @param lookup is changed: `source` becomes `database` if the cache does not have the session
 * @see docs/decisions/0011-change-feed.md, docs/decisions/0018-sqlite-commits-and-answers-in-memory.md
 */
export async function findSession(
  { database, sessionCache, lastSeen, clock }: FindNeeds,
  sessionId: string,
  lookup: SessionLookup,
): Promise<Session | undefined> {
  const [id, now] = [sessionId.toLowerCase(), clock.now()];
  const read = async () => {
    const value = await readSession(database, id, now);
    return value && { value, rows: [`sessions ${id}`, `users ${value.userId}`] };
  };
  const session = await sessionCache.find(id, read, () => {
    lookup.source = 'database';
  });
  if (!session || session.expiresAt <= now || !mayUseApp(session, lookup.appName)) return undefined;
  lastSeen.note(session, now);
  return session;
}

/**
 * Checks again, inside a transaction, that a session is active. Call it before the user gets something that outlives
 * the session, such as a token.
 *
 * @param tx open transaction that has locked the user's row. A change of the password locks the same row before it ends
 *   sessions, so it cannot run at the same time
 * @throws AppError NOT_SIGNED_IN if the session has ended since the start of the request
 */
export async function requireActiveSession(tx: Handle, { id }: Pick<Session, 'id'>, now: number): Promise<void> {
  if (!(await activeSession.first(tx, { id, now }))) throw new AppError('NOT_SIGNED_IN');
}

/**
 * Locks an active session, so that no other transaction can end it or change its id until this one finishes.
 *
 * @param tx open transaction that has locked the user's row
 * @throws AppError NOT_SIGNED_IN if the session has ended since the start of the request
 */
export async function requireLockedSession(tx: Handle, { id }: Pick<Session, 'id'>, now: number): Promise<void> {
  if ((await lockSession.run(tx, { id, now })) === 0) throw new AppError('NOT_SIGNED_IN');
}
