import type { Call, Services } from '../http/route.ts';
import { currentSession } from '../sessions/guards.ts';
import { activeSessionsOfList, listOfSession, someActiveSessionOfBrowser } from '../sessions/queries.ts';
import { type Session, toSession } from '../sessions/session.ts';
import { type Device, readAccountList, setAccountsCookie } from './accounts-cookie.ts';
import type { RememberedAccounts } from './schemas.ts';

const byAge = (a: Session, b: Session): number => b.createdAt - a.createdAt;

/**
 * Whether a list was replaced by a newer one: a sign-in has given it a new name. The request was on its way meanwhile,
 * and its reply must not take the newer list from the browser.
 */
async function isOutrun({ database, clock }: Services, { browser }: Device): Promise<boolean> {
  return (await someActiveSessionOfBrowser.first(database, { browser, now: clock.now() })) !== undefined;
}

interface List {
  device: Device | undefined;
  sessions: Session[];
}

async function readList({ services }: Call, device: Device | undefined): Promise<List> {
  const { database, settings, clock } = services;
  const rows = device ? await activeSessionsOfList.all(database, { ...device, now: clock.now() }) : [];
  const sessions = rows.map((row) => toSession(row, settings.APP_NAME)).filter((session) => session !== undefined);
  return { device, sessions };
}

const isIn = ({ sessions }: List, current: Session): boolean => sessions.some(({ id }) => id === current.id);

/** Whether a list got its present name by the sign-in of this session. */
const wasRenewedBy = ({ sessions }: List, { id, createdAt }: Session): boolean =>
  sessions.every((session) => session.id === id || session.createdAt < createdAt);

/**
 * The list of the cookie, or the newer one of the same browser that the current session has opened.
 *
 * Why     a reply that a browser reads late may bring back the list from before a sign-in. Only the session of that
 *         sign-in leads to the newer list: whoever has copied the cookies from before it gets nothing more by them.
 */
async function findList(call: Call, current: Session | undefined): Promise<List> {
  const device = readAccountList(call);
  const list = await readList(call, device);
  if (!device || !current || isIn(list, current)) return list;
  const { browser } = device;
  const name = await listOfSession.first(call.services.database, { id: current.id, browser });
  const newer = name && (await readList(call, { ...device, ...name }));
  return newer && wasRenewedBy(newer, current) ? newer : list;
}

async function tidyList(call: Call): Promise<RememberedAccounts> {
  const current = await currentSession(call);
  const list = await findList(call, current);
  const { device, sessions: known } = list;
  const sessions = current && !isIn(list, current) ? [...known, current].sort(byAge) : known;
  const ids = known.map(({ id }) => id);
  if (device && ids.join() !== device.sessionIds.join()) {
    if (ids.length > 0)
      setAccountsCookie(call, { ...device, sessionIds: ids }, Math.max(...known.map(({ expiresAt }) => expiresAt)));
    else if (!(await isOutrun(call.services, device))) call.services.cookies.clear(call.reply, 'accounts');
  }
  return { sessions, current };
}

declare module 'fastify' {
  interface FastifyRequest {
    /** What `listAccounts` found, or will find, for this request. */
    rememberedAccounts?: Promise<RememberedAccounts>;
  }
}

/** Lists the accounts that this browser can use now; read once per request. Ended sessions are removed from its cookie. */
export function listAccounts(call: Call): Promise<RememberedAccounts> {
  call.request.rememberedAccounts ??= tidyList(call);
  return call.request.rememberedAccounts;
}
