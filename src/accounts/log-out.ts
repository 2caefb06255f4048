import type { Database } from '../db/handle.ts';
import { endSession } from '../sessions/end-sessions.ts';
import { deleteSessionsOfDevice } from '../sessions/queries.ts';

/**
 * Ends every session that a browser remembers, and the one that it uses now.
 *
 * Gives   their number.
 * Why     by the browser's name and not by a list of ids: a switch at the same moment gives a session a new id, and
 *         one that no cookie knows would live on.
 */
export function logOutAll(
  database: Database,
  { device, sessionId }: { device: string | undefined; sessionId: string | undefined },
): Promise<number> {
  return database.transaction(async (tx) => {
    const remembered = device ? await deleteSessionsOfDevice.run(tx, { device }) : 0;
    const current = sessionId && (await endSession(tx, sessionId)) ? 1 : 0;
    return remembered + current;
  });
}
