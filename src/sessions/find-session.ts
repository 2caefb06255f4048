import type { Handle } from '../db/handle.ts';
import type { Lookup, LookupCache } from '../db/lookup-cache.ts';
import { AppError } from '../errors/app-error.ts';
import type { Services } from '../http/route.ts';
import type { CheckCounts, CheckSource } from '../lib/counts.ts';
import { mayUseApp } from '../users/user.ts';
import type { LastSeen } from './last-seen.ts';
import { activeSessions, lockSession } from './queries.ts';
import { type Session, toSession } from './session.ts';

declare module '../http/route.ts' {
  interface Services {
    /** The cached active sessions, by id. */
    sessionCache: LookupCache<Session>;
    lastSeen: LastSeen;
    /** Counts the sessions about which other programs ask. */
    sessionChecks: CheckCounts;
  }
}

/** A question about a session. */
export interface SessionLookup {
  /** The application that is asked about. */
  appName: string;
  source: CheckSource;
}

/**
 * Reads an active session from the database: it has neither ended nor expired, and its user is active.
 *
 * @param id in lower case
 */
export async function readSession(handle: Handle, id: string, now: number): Promise<Session | undefined> {
  const row = await activeSessions.first(handle, { ids: [id], now });
  return row && toSession(row);
}

/** The same for several sessions. */
export async function readSessions(handle: Handle, ids: readonly string[], now: number): Promise<Session[]> {
  return (await activeSessions.all(handle, { ids, now })).map(toSession);
}

interface FindNeeds extends Pick<Services, 'database' | 'lastSeen' | 'clock'> {
  sessionCache: Lookup<Session>;
  /** Reads an active session in another way than by a query of its own. */
  readOne?: (id: string, now: number) => Promise<Session | undefined>;
}

/**
 * Finds the active session with an id, if its user may use an application.
 *
 * A session stays in the cache until it or its user changes, and is used while every change is known. The cache
 * contains only data of its rows; each call decides whether the user may use the application. An id without a session
 * is looked up each time.
 *
 * @param lookup `source` becomes `database` if the cache does not have the session
 * @see docs/decisions/0011-change-feed.md, docs/decisions/0018-sqlite-commits-and-answers-in-memory.md
 */
export async function findSession(
  { database, sessionCache, lastSeen, clock, readOne = (...one) => readSession(database, ...one) }: FindNeeds,
  sessionId: string,
  lookup: SessionLookup,
): Promise<Session | undefined> {
  const [id, now] = [sessionId.toLowerCase(), clock.now()];
  const read = async () => {
    const value = await readOne(id, now);
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
 * Checks again in a transaction that a session is active, before its user gets something that outlives the session.
 *
 * @param tx open transaction that holds the user's row, as those do that end sessions with a new password
 * @throws AppError NOT_SIGNED_IN if the session has ended since the request was let in
 */
export async function requireActiveSession(tx: Handle, { id }: Pick<Session, 'id'>, now: number): Promise<void> {
  if (!(await activeSessions.first(tx, { ids: [id], now }))) throw new AppError('NOT_SIGNED_IN');
}

/**
 * Locks an active session, so that it neither ends nor gets another id before the transaction does.
 *
 * @param tx open transaction that holds the user's row
 * @throws AppError NOT_SIGNED_IN if the session has ended since the request was let in
 */
export async function requireLockedSession(tx: Handle, { id }: Pick<Session, 'id'>, now: number): Promise<void> {
  if ((await lockSession.run(tx, { id, now })) === 0) throw new AppError('NOT_SIGNED_IN');
}
