import type { Database, Handle } from '../db/handle.ts';
import { endSession } from '../sessions/end-sessions.ts';
import { deleteSessionsOfDevice } from '../sessions/queries.ts';
import type { Device } from './device-cookie.ts';

/** Ends the sessions of these ids. Gives the number of those that there were. */
async function endEach(tx: Handle, sessionIds: readonly string[]): Promise<number> {
  let ended = 0;
  for (const id of new Set(sessionIds)) ended += (await endSession(tx, id)) ? 1 : 0;
  return ended;
}

/** Ends the sessions of a browser's cookies: all of them, so that no older one signs it in again. Gives their number. */
export const logOut = (database: Database, sessionIds: readonly string[]): Promise<number> =>
  database.transaction((tx) => endEach(tx, sessionIds));

/**
 * Ends every session that a browser remembers, and those of its cookies.
 *
 * Gives   their number.
 * Why     by the browser's name as well as by the ids: a switch at the same moment gives a session a new id, and a
 *         sign-in gives the browser a new name; one that no cookie knows would live on.
 */
export function logOutAll(
  database: Database,
  { device, sessionIds }: { device: Device | undefined; sessionIds: readonly string[] },
): Promise<number> {
  return database.transaction(async (tx) => {
    const remembered = device ? await deleteSessionsOfDevice.run(tx, { device: device.id }) : 0;
    return remembered + (await endEach(tx, [...(device?.sessionIds ?? []), ...sessionIds]));
  });
}
