import type { Call, Services } from '../http/route.ts';
import { currentSession } from '../sessions/gates.ts';
import { liveSessionsOfDevice, someLiveSessionOfBrowser } from '../sessions/queries.ts';
import { type Session, toSession } from '../sessions/session.ts';
import { type Device, giveDevice, readDevice } from './device-cookie.ts';
import type { RememberedAccounts } from './wire.ts';

const byAge = (a: Session, b: Session): number => b.createdAt - a.createdAt;

/**
 * Whether a list was replaced by a newer one: a sign-in has given it a new name. The request was on its way meanwhile,
 * and its reply must not take the newer list from the browser.
 */
async function isOutrun({ database, clock }: Services, { browser }: Device): Promise<boolean> {
  return (await someLiveSessionOfBrowser.first(database, { browser, now: clock.now() })) !== undefined;
}

/** The accounts that this browser can use at this moment; what is over leaves its cookie. */
export async function listAccounts(call: Call): Promise<RememberedAccounts> {
  const { database, settings, clock, cookies } = call.services;
  const current = await currentSession(call);
  const device = readDevice(call);
  const rows = device ? await liveSessionsOfDevice.all(database, { ...device, now: clock.now() }) : [];
  const known = rows.map((row) => toSession(row, settings.APP_NAME)).filter((session) => session !== undefined);
  const isListed = known.some(({ id }) => id === current?.id);
  const sessions = current && !isListed ? [...known, current].sort(byAge) : known;
  const ids = known.map(({ id }) => id);
  if (device && ids.join() !== device.sessionIds.join()) {
    if (ids.length > 0)
      giveDevice(call, { ...device, sessionIds: ids }, Math.max(...known.map(({ expiresAt }) => expiresAt)));
    else if (!(await isOutrun(call.services, device))) cookies.clear(call.reply, 'accounts');
  }
  return { sessions, current };
}
