import type { Call } from '../http/route.ts';
import { currentSession } from '../sessions/gates.ts';
import { liveSessionsOfDevice } from '../sessions/queries.ts';
import { type Session, toSession } from '../sessions/session.ts';
import { giveDevice, readDevice } from './device-cookie.ts';
import type { RememberedAccounts } from './wire.ts';

const byAge = (a: Session, b: Session): number => b.createdAt - a.createdAt;

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
    if (ids.length === 0) cookies.clear(call.reply, 'accounts');
    else giveDevice(call, { id: device.id, sessionIds: ids }, Math.max(...known.map(({ expiresAt }) => expiresAt)));
  }
  return { sessions, current };
}
