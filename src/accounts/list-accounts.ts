import type { CookieChange } from '../http/cookies.ts';
import type { Services } from '../http/route.ts';
import { activeSessionsOfList, listOfSession, someActiveSessionOfBrowser } from '../sessions/queries.ts';
import { type Session, toSession } from '../sessions/session.ts';
import { mayUseApp } from '../users/user.ts';
import { accountsCookie, type Device } from './accounts-cookie.ts';
import type { RememberedAccounts } from './schemas.ts';

type Needs = Pick<Services, 'database' | 'settings' | 'clock' | 'sealer'>;

const byAge = (a: Session, b: Session): number => b.createdAt - a.createdAt;

/**
 * Returns whether a newer list has replaced the list of a cookie. This happens if a sign-in renames the list while this
 * request is under way. The reply must then not clear the cookie, because the browser may hold the newer list by now.
 */
async function isOutrun({ database, clock }: Needs, { browser }: Device): Promise<boolean> {
  return (await someActiveSessionOfBrowser.first(database, { browser, now: clock.now() })) !== undefined;
}

interface List {
  device: Device | undefined;
  sessions: Session[];
}

async function readList({ database, settings, clock }: Needs, device: Device | undefined): Promise<List> {
  const rows = device ? await activeSessionsOfList.all(database, { ...device, now: clock.now() }) : [];
  const sessions = rows.map(toSession).filter((session) => mayUseApp(session, settings.APP_NAME));
  return { device, sessions };
}

const isIn = ({ sessions }: List, current: Session): boolean => sessions.some(({ id }) => id === current.id);

/** Returns whether the sign-in that started this session gave the list its current name. */
const wasRenewedBy = ({ sessions }: List, { id, createdAt }: Session): boolean =>
  sessions.every((session) => session.id === id || session.createdAt < createdAt);

/**
 * Finds the list that the cookie names. If the sign-in of the current session has replaced that list by a newer one,
 * finds the newer list.
 *
 * A late reply may restore the cookie from before a sign-in. Only the session of that sign-in identifies the newer
 * list, so someone who copied the cookies before the sign-in gets no access to it.
 */
async function findList(services: Needs, { device, current }: Browser): Promise<List> {
  const list = await readList(services, device);
  if (!device || !current || isIn(list, current)) return list;
  const { browser } = device;
  const name = await listOfSession.first(services.database, { id: current.id, browser });
  const newer = name && (await readList(services, { ...device, ...name }));
  return newer && wasRenewedBy(newer, current) ? newer : list;
}

/**
 * Returns the cookie with only those sessions that the browser can use now, or clears it if there are none. Returns
 * nothing if the cookie needs no change, or if a newer list has replaced its list.
 */
async function tidyCookie(services: Needs, { device, sessions: known }: List): Promise<CookieChange[]> {
  if (!device) return [];
  const sessionIds = known.map(({ id }) => id);
  if (sessionIds.join() === device.sessionIds.join()) return [];
  const lastEnd = Math.max(...known.map(({ expiresAt }) => expiresAt));
  if (sessionIds.length > 0) return [accountsCookie(services.sealer, { ...device, sessionIds }, lastEnd)];
  return (await isOutrun(services, device)) ? [] : [{ clear: 'accounts' }];
}

/** What a browser sends: its list of accounts and its current session. */
export interface Browser {
  device: Device | undefined;
  current: Session | undefined;
}

/**
 * Lists the accounts that a browser can use now.
 *
 * @returns accounts: all accounts, newest first, and the current account; cookies: changes that remove ended sessions
 *   from the browser's list
 */
export async function listAccounts(
  services: Needs,
  browser: Browser,
): Promise<{ accounts: RememberedAccounts; cookies: CookieChange[] }> {
  const { current } = browser;
  const list = await findList(services, browser);
  const sessions = current && !isIn(list, current) ? [...list.sessions, current].sort(byAge) : list.sessions;
  return { accounts: { sessions, current }, cookies: await tidyCookie(services, list) };
}
