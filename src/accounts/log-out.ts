import type { Database, Handle } from '../db/handle.ts';
import { endSession } from '../sessions/end-sessions.ts';
import { deleteSessionsOfBrowser } from '../sessions/queries.ts';
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
 * Ends every session that a browser has opened, and those of its cookies.
 *
 * Gives   their number.
 * Why     by the browser as well as by the ids: a switch at the same moment gives a session a new id, a sign-in at the
 *         same moment makes a list that these cookies do not know yet; either would live on.
 */
export function logOutAll(
  database: Database,
  { devices, sessionIds }: { devices: readonly Device[]; sessionIds: readonly string[] },
): Promise<number> {
  return database.transaction(async (tx) => {
    let opened = 0;
    for (const device of devices) opened += await deleteSessionsOfBrowser.run(tx, device);
    return opened + (await endEach(tx, [...devices.flatMap((device) => device.sessionIds), ...sessionIds]));
  });
}
