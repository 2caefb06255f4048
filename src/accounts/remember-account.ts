import type { Handle } from '../db/handle.ts';
import {
  deleteOtherSessionsOnDevice,
  deleteSession,
  liveSessionsOfDevice,
  moveDevice,
  setDevice,
} from '../sessions/queries.ts';
import type { Device } from './device-cookie.ts';

interface Remembering {
  /** The new name of the browser, under which the new session stands already. */
  device: string;
  session: { id: string; userId: number };
  /** What the browser had before. */
  before: { device: string | undefined; sessionId: string | undefined };
  max: number;
  now: number;
}

/**
 * Adds a session that was just started to those that its browser remembers: one for each user, the newest of them.
 *
 * Needs   tx: the transaction that started the session.
 * Gives   the device as its cookie shall have it. Sessions that fall out of the list have ended.
 * Why     the browser gets a new name at each sign-in, so that a name that somebody planted in it, or copied from it
 *         before, opens nothing.
 */
export async function rememberAccount(tx: Handle, { device, session, before, max, now }: Remembering): Promise<Device> {
  if (before.device) await moveDevice.run(tx, { from: before.device, to: device });
  if (before.sessionId) await setDevice.run(tx, { id: before.sessionId, device });
  await deleteOtherSessionsOnDevice.run(tx, { device, userId: session.userId, keep: session.id });
  const others = (await liveSessionsOfDevice.all(tx, { device, now })).filter(({ id }) => id !== session.id);
  for (const { id } of others.slice(max - 1)) await deleteSession.run(tx, { id });
  return { id: device, sessionIds: [session.id, ...others.slice(0, max - 1).map(({ id }) => id)] };
}
