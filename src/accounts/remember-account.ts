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

/** The state of a browser before a sign-in: its account list, and the session in its session cookie. */
export interface Before {
  device: AccountListName | undefined;
  sessionId: string | undefined;
}

/**
 * Returns the account list for a new session: the browser's own list under a new name, or a new list.
 *
 * The name of a list gives access to its accounts. So each sign-in changes the name: an old name that someone planted in the
 * browser, or copied from it, is then useless.
 *
 * The browser id stays the same. It gives no access, and serves only to end sessions. If two sign-ins happen at the same
 * time, the cookie keeps only one of their lists, and a sign-out must still end the session in the other list.
 */
export const nextAccountList = ({ device }: Before): AccountListName => ({
  browser: device?.browser ?? randomText(NAME_BYTES),
  device: randomText(NAME_BYTES),
});

interface Remembering {
  /** The list under its new name, with the new session. */
  device: AccountListName;
  session: { id: string; userId: number };
  before: Before;
  max: number;
  now: number;
}

/**
 * Adds a new session to the account list of its browser. The list keeps only the newest session of each user.
 *
 * The session in the browser's session cookie is added too, unless another browser started it. Sibling hosts share the
 * session cookie and can plant or copy it. They do not share the cookie of the list.
 *
 * @param tx the transaction that started the session
 * @returns device: the list for the cookie; ended: number of sessions that were removed from the list and ended
 */
export async function rememberAccount(
  tx: Handle,
  { device, session, before, max, now }: Remembering,
): Promise<{ device: Device; ended: number }> {
  // A browser without a list and without a session has nothing to merge into its new list.
  if (!before.device && !before.sessionId) return { device: { ...device, sessionIds: [session.id] }, ended: 0 };
  if (before.device) await renameList.run(tx, { ...before.device, newDevice: device.device });
  if (before.sessionId) await moveToList.run(tx, { id: before.sessionId, ...device });
  const earlier = await deleteOtherSessionsInList.run(tx, { ...device, userId: session.userId, keep: session.id });
  const others = (await activeSessionsOfList.all(tx, { ...device, now })).filter(({ id }) => id !== session.id);
  const surplus = others.slice(max - 1);
  for (const { id } of surplus) await deleteSession.run(tx, { id });
  const sessionIds = [session.id, ...others.slice(0, max - 1).map(({ id }) => id)];
  return { device: { ...device, sessionIds }, ended: earlier + surplus.length };
}
