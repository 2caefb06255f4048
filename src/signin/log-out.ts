import type { Device } from '../accounts/accounts-cookie.ts';
import type { Handle } from '../db/handle.ts';
import type { Change } from '../events/change.ts';
import { type EndedSession, recordOwnEnds } from '../sessions/end-sessions.ts';
import { lockOwners } from '../sessions/lock-owners.ts';
import { deleteSession, deleteSessionsOfBrowser } from '../sessions/queries.ts';
import { deleteSecondStep } from './queries.ts';

/** The ids in a browser's cookies: those of its sessions and of its unfinished sign-ins. */
export interface CookieIds {
  sessionIds: readonly string[];
  secondStepIds: readonly string[];
}

const lower = (id: string): string => id.toLowerCase();

/** Ends the sessions with these ids. Returns those that existed. */
async function endEach(tx: Handle, sessionIds: readonly string[]): Promise<EndedSession[]> {
  const ended: EndedSession[] = [];
  for (const id of new Set(sessionIds.map(lower))) {
    ended.push(...(await deleteSession.all(tx, { id })));
  }
  return ended;
}

/**
 * Deletes unfinished sign-ins. Call it before the sessions are deleted, so that no second step opens a session
 * afterwards.
 */
async function endWaiting(tx: Handle, secondStepIds: readonly string[]): Promise<void> {
  for (const id of secondStepIds) await deleteSecondStep.run(tx, { id });
}

/**
 * Ends all sessions in a browser's session cookies, so that an older cookie cannot sign the browser in again. Also
 * deletes the browser's unfinished sign-ins.
 *
 * @returns the number of ended sessions
 */
export const logOut = (
  { database, actor }: Omit<Change, 'now'>,
  { sessionIds, secondStepIds }: CookieIds,
): Promise<number> =>
  database.transaction(async (tx) => {
    await lockOwners(tx, { sessionIds: sessionIds.map(lower), secondStepIds });
    await endWaiting(tx, secondStepIds);
    const ended = await endEach(tx, sessionIds);
    await recordOwnEnds(tx, { actor, ended, reason: 'logout' });
    return ended.length;
  });

/**
 * Ends every session that a browser has opened and every session in its cookies. Also deletes the browser's unfinished
 * sign-ins.
 *
 * It looks for sessions by browser as well as by id, so that no session survives. An account switch at the same moment
 * gives a session a new id. A sign-in at the same moment creates a list that is not in these cookies yet.
 *
 * @returns the number of ended sessions
 */
export function logOutAll(
  { database, actor }: Omit<Change, 'now'>,
  { devices, sessionIds, secondStepIds }: CookieIds & { devices: readonly Device[] },
): Promise<number> {
  const allIds = [...devices.flatMap((device) => device.sessionIds), ...sessionIds];
  return database.transaction(async (tx) => {
    const browsers = devices.map(({ browser }) => browser);
    await lockOwners(tx, { sessionIds: allIds.map(lower), browsers, secondStepIds });
    await endWaiting(tx, secondStepIds);
    const ended: EndedSession[] = [];
    for (const device of devices) ended.push(...(await deleteSessionsOfBrowser.all(tx, device)));
    ended.push(...(await endEach(tx, allIds)));
    await recordOwnEnds(tx, { actor, ended, reason: 'logout_all' });
    return ended.length;
  });
}
