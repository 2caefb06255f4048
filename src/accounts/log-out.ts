import type { Database, Handle } from '../db/handle.ts';
import { endSession } from '../sessions/end-sessions.ts';
import { deleteSecondStep, deleteSessionsOfBrowser } from '../sessions/queries.ts';
import type { Device } from './accounts-cookie.ts';

/** What the cookies of a browser name: its sessions, and the sign-ins that wait for their second step. */
export interface CookieIds {
  sessionIds: readonly string[];
  secondStepIds: readonly string[];
}

/** Ends the sessions of these ids. Gives the number of those that there were. */
async function endEach(tx: Handle, sessionIds: readonly string[]): Promise<number> {
  let ended = 0;
  for (const id of new Set(sessionIds)) ended += (await endSession(tx, id)) ? 1 : 0;
  return ended;
}

/** Asked before the sessions end, in the order in which a second step takes its rows: what one opens meanwhile is seen. */
async function endWaiting(tx: Handle, secondStepIds: readonly string[]): Promise<void> {
  for (const id of secondStepIds) await deleteSecondStep.run(tx, { id });
}

/**
 * Ends the sessions of a browser's cookies: all of them, so that no older one signs it in again. Sign-ins that wait in
 * it for their second step end too. Gives the number of sessions.
 */
export const logOut = (database: Database, { sessionIds, secondStepIds }: CookieIds): Promise<number> =>
  database.transaction(async (tx) => {
    await endWaiting(tx, secondStepIds);
    return endEach(tx, sessionIds);
  });

/**
 * Ends every session that a browser has opened, those of its cookies, and the sign-ins that wait in it.
 *
 * Gives   the number of sessions.
 * Why     by the browser as well as by the ids: a switch at the same moment gives a session a new id, a sign-in at the
 *         same moment makes a list that these cookies do not know yet; either would live on.
 */
export function logOutAll(
  database: Database,
  { devices, sessionIds, secondStepIds }: CookieIds & { devices: readonly Device[] },
): Promise<number> {
  return database.transaction(async (tx) => {
    await endWaiting(tx, secondStepIds);
    let opened = 0;
    for (const device of devices) opened += await deleteSessionsOfBrowser.run(tx, device);
    return opened + (await endEach(tx, [...devices.flatMap((device) => device.sessionIds), ...sessionIds]));
  });
}
