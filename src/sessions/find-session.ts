import type { Handle } from '../db/handle.ts';
import { lookupCaches } from '../db/lookup-cache.ts';
import { AppError } from '../errors/app-error.ts';
import { activeSession } from './queries.ts';
import { type Session, toSession } from './session.ts';

interface Wanted {
  id: string;
  appName: string;
  now: number;
}

const sessionCache = lookupCaches<Session>();

async function readSession(handle: Handle, { id, appName, now }: Wanted): Promise<Session | undefined> {
  const row = await activeSession.first(handle, { id, now });
  return row && toSession(row, appName);
}

/**
 * The session of an id, where it counts at this moment: not ended, not over, its user active and allowed to use the
 * application.
 *
 * Why     an answer is kept until the session or its user changes, and used while every change is known
 *         (docs/decisions/0011 and 0015). That there is no session is asked each time.
 */
export async function findSession(handle: Handle, wanted: Wanted): Promise<Session | undefined> {
  const asked = { ...wanted, id: wanted.id.toLowerCase() };
  if (!handle.changes) return readSession(handle, asked);
  const cache = sessionCache(handle.changes);
  const known = await cache.get(asked.id);
  if (known) return known.expiresAt > asked.now ? known : undefined;
  const begun = cache.begin();
  const session = await readSession(handle, asked);
  if (session) {
    cache.keep(begun, asked.id, { value: session, rows: [`sessions ${asked.id}`, `users ${session.userId}`] });
  }
  return session;
}

/**
 * Asks again in a transaction whether a session lives by which somebody gets more than a session.
 *
 * Needs   tx: open transaction that holds the user's row, as those do that end sessions with a new password.
 * Throws  AppError NOT_SIGNED_IN when the session has ended since the request was let in.
 */
export async function requireActiveSession(
  tx: Handle,
  { id, userId }: Pick<Session, 'id' | 'userId'>,
  now: number,
): Promise<void> {
  if (!(await activeSession.first(tx, { id, now }))) throw new AppError('NOT_SIGNED_IN', { userId });
}
