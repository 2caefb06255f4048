import type { Database } from '../db/handle.ts';
import { endSession } from '../sessions/end-sessions.ts';
import { deleteSessionsOfDevice } from '../sessions/queries.ts';
import type { Device } from './device-cookie.ts';

/**
 * Ends every session that a browser remembers, and the one that it uses now.
 *
 * Gives   their number.
 * Why     by the browser's name as well as by the ids: a switch at the same moment gives a session a new id, and a
 *         sign-in gives the browser a new name; one that no cookie knows would live on.
 */
export function logOutAll(
  database: Database,
  { device, sessionId }: { device: Device | undefined; sessionId: string | undefined },
): Promise<number> {
  return database.transaction(async (tx) => {
    let ended = device ? await deleteSessionsOfDevice.run(tx, { device: device.id }) : 0;
    for (const id of new Set([...(device?.sessionIds ?? []), sessionId ?? '']))
      ended += (await endSession(tx, id)) ? 1 : 0;
    return ended;
  });
}
