import type { Handle } from '../db/handle.ts';
import { randomText } from '../lib/random.ts';
import {
  type AccountListName,
  activeSessionsOfList,
  deleteOtherSessionsInList,
  deleteSession,
  moveToList,
  renameList,
} from '../sessions/queries.ts';
import type { Device } from './accounts-cookie.ts';

const NAME_BYTES = 18;

/** What a browser had before a sign-in: its list, and the session of its cookie. */
export interface Before {
  device: AccountListName | undefined;
  sessionId: string | undefined;
}

/**
 * The list that a new session joins: that of its browser, under a new name.
 *
 * A name that was planted in the browser, or copied from it before, opens nothing any more. The browser stays, by which
 * sessions are ended and never shown: of two sign-ins at once the cookie names one list, and the session of the other must
 * still end with it.
 */
export const nextAccountList = ({ device }: Before): AccountListName => ({
  browser: device?.browser ?? randomText(NAME_BYTES),
  device: randomText(NAME_BYTES),
});

interface Remembering {
  /** The list, under its new name; the new session is in it already. */
  device: AccountListName;
  session: { id: string; userId: number };
  before: Before;
  max: number;
  now: number;
}

/**
 * Adds a session that was just started to those that its browser remembers: one for each user, the newest of them.
 *
 * The session of the browser's cookie joins them if this browser, or none, has opened it. The session cookie is shared
 * with sibling hosts, which can plant or copy it, and the list is not.
 *
 * @param tx the transaction that started the session
 * @returns device: the list as the cookie shall hold it; ended: number of sessions that fell out of the list and ended
 */
export async function rememberAccount(
  tx: Handle,
  { device, session, before, max, now }: Remembering,
): Promise<{ device: Device; ended: number }> {
  if (before.device) await renameList.run(tx, { ...before.device, newDevice: device.device });
  if (before.sessionId) await moveToList.run(tx, { id: before.sessionId, ...device });
  const earlier = await deleteOtherSessionsInList.run(tx, { ...device, userId: session.userId, keep: session.id });
  const others = (await activeSessionsOfList.all(tx, { ...device, now })).filter(({ id }) => id !== session.id);
  const surplus = others.slice(max - 1);
  for (const { id } of surplus) await deleteSession.run(tx, { id });
  const sessionIds = [session.id, ...others.slice(0, max - 1).map(({ id }) => id)];
  return { device: { ...device, sessionIds }, ended: earlier + surplus.length };
}
