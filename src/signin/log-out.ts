import type { Device } from '../accounts/accounts-cookie.ts';
import type { Handle } from '../db/handle.ts';
import type { Change } from '../events/change.ts';
import { type EndedSession, recordOwnEnds } from '../sessions/end-sessions.ts';
import { lockOwners } from '../sessions/lock-owners.ts';
import { deleteSession, deleteSessionsOfBrowser } from '../sessions/queries.ts';
import { deleteSecondStep } from './queries.ts';

/** The content of a browser's cookies: its sessions, and the sign-ins that wait for their second step. */
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

/** Called before the sessions end, so that sessions which a second step opens meanwhile are found. */
async function endWaiting(tx: Handle, secondStepIds: readonly string[]): Promise<void> {
  for (const id of secondStepIds) await deleteSecondStep.run(tx, { id });
}

/**
 * Ends all sessions of a browser's cookies, so that no older one signs it in again. Also ends sign-ins that wait for
 * their second step there.
 *
 * @returns the number of sessions
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
 * Ends every session that a browser has opened, those of its cookies, and the sign-ins that wait there.
 *
 * It looks for the browser as well as for the ids: a switch at the same moment gives a session a new id, and a sign-in
 * at the same moment creates a list that these cookies do not contain yet. Otherwise those sessions would survive.
 *
 * @returns the number of sessions
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
