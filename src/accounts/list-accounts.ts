import type { Call } from '../http/route.ts';
import { findSession } from '../sessions/find-session.ts';
import { currentSession } from '../sessions/gates.ts';
import { liveSessionsOfDevice } from '../sessions/queries.ts';
import { type Session, toSession } from '../sessions/session.ts';
import { type Device, giveDevice, readDevice } from './device-cookie.ts';
import type { RememberedAccounts } from './wire.ts';

const byAge = (a: Session, b: Session): number => b.createdAt - a.createdAt;

/**
 * Whether a list was replaced by a newer one: a sign-in has given its sessions to the browser under a new name. The
 * request was on its way meanwhile, and its reply must not take the newer list from the browser.
 */
async function isOutrun({ services }: Call, { sessionIds }: Device): Promise<boolean> {
  const { database, settings, clock } = services;
  const asked = { appName: settings.APP_NAME, now: clock.now() };
  const found = await Promise.all(sessionIds.map((id) => findSession(database, { ...asked, id })));
  return found.some((session) => session !== undefined);
}

/** The accounts that this browser can use at this moment; what is over leaves its cookie. */
export async function listAccounts(call: Call): Promise<RememberedAccounts> {
  const { database, settings, clock, cookies } = call.services;
  const current = await currentSession(call);
  const device = readDevice(call);
  const rows = device ? await liveSessionsOfDevice.all(database, { device: device.id, now: clock.now() }) : [];
  const known = rows.map((row) => toSession(row, settings.APP_NAME)).filter((session) => session !== undefined);
  const isListed = known.some(({ id }) => id === current?.id);
  const sessions = current && !isListed ? [...known, current].sort(byAge) : known;
  const ids = known.map(({ id }) => id);
  if (device && ids.join() !== device.sessionIds.join()) {
    if (ids.length > 0)
      giveDevice(call, { id: device.id, sessionIds: ids }, Math.max(...known.map(({ expiresAt }) => expiresAt)));
    else if (!(await isOutrun(call, device))) cookies.clear(call.reply, 'accounts');
  }
  return { sessions, current };
}
