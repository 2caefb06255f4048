import type { Handle } from '../db/handle.ts';
import { liveSession } from './queries.ts';
import { type Session, toSession } from './session.ts';

/**
 * The session of an id, where it counts at this moment: not ended, not over, its user active and allowed to use the
 * application.
 */
export async function findSession(
  handle: Handle,
  { id, appName, now }: { id: string; appName: string; now: number },
): Promise<Session | undefined> {
  const row = await liveSession.first(handle, { id: id.toLowerCase(), now });
  return row && toSession(row, appName);
}
