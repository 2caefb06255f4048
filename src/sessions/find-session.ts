import type { Handle } from '../db/handle.ts';
import type { LookupCache } from '../db/lookup-cache.ts';
import { AppError } from '../errors/app-error.ts';
import type { Services } from '../http/route.ts';
import { activeSession } from './queries.ts';
import { type Session, toSession } from './session.ts';

declare module '../http/route.ts' {
  interface Services {
    /** The active sessions in memory, by id. */
    sessionCache: LookupCache<Session>;
  }
}

interface Wanted {
  /** In lower case. */
  id: string;
  appName: string;
  now: number;
}

/** Reads an active session from the database; undefined where `findSession` finds none. */
export async function readSession(handle: Handle, { id, appName, now }: Wanted): Promise<Session | undefined> {
  const row = await activeSession.first(handle, { id, now });
  return row && toSession(row, appName);
}

/**
 * Finds the active session of an id: it has neither ended nor expired, and its user is active and may use the
 * application.
 *
 * A session stays in memory until it or its user changes, and is used while every change is known. An id without a
 * session is looked up each time.
 *
 * @see docs/decisions/0011-change-feed.md, docs/decisions/0018-sqlite-commits-and-answers-in-memory.md
 */
export async function findSession(
  { database, sessionCache, settings, clock }: Pick<Services, 'database' | 'sessionCache' | 'settings' | 'clock'>,
  sessionId: string,
): Promise<Session | undefined> {
  const [id, now] = [sessionId.toLowerCase(), clock.now()];
  const session = await sessionCache.find(id, async () => {
    const value = await readSession(database, { id, appName: settings.APP_NAME, now });
    return value && { value, rows: [`sessions ${id}`, `users ${value.userId}`] };
  });
  return session && session.expiresAt > now ? session : undefined;
}

/**
 * Asks again in a transaction whether a session lives by which somebody gets more than a session.
 *
 * Needs   tx: open transaction that holds the user's row, as those do that end sessions with a new password.
 * Throws  AppError NOT_SIGNED_IN when the session has ended since the request was let in.
 */
export async function requireActiveSession(tx: Handle, { id }: Pick<Session, 'id'>, now: number): Promise<void> {
  if (!(await activeSession.first(tx, { id, now }))) throw new AppError('NOT_SIGNED_IN');
}
