import type { Call } from '../http/route.ts';
import { isUuid } from '../lib/random.ts';
import type { AccountListName } from '../sessions/queries.ts';

const PURPOSE = 'cookie remembered_accounts';

/** What a browser's cookie says of the accounts that it remembers; the sessions themselves are in the database. */
export interface Device extends AccountListName {
  /** The sessions that were last shown to this browser, the newest first. */
  sessionIds: string[];
}

function parseDevice(text: string): Device | undefined {
  const [names = '', ...sessionIds] = text.split(' ');
  const [browser, device] = names.split('.');
  return browser && device && sessionIds.every(isUuid) ? { browser, device, sessionIds } : undefined;
}

/** The devices of the cookies of a call that this service sealed: one, unless somebody planted another. */
export const readAccountLists = ({ request, services }: Call): Device[] =>
  services.cookies.read(request, 'accounts').flatMap((sealed) => {
    const text = services.sealer.open(PURPOSE, sealed);
    return (text && parseDevice(text)) || [];
  });

/** The device of the browser that calls; undefined when it remembers nothing. */
export const readAccountList = (call: Call): Device | undefined => readAccountLists(call)[0];

/** Lets the browser remember `device` until the last of its sessions is over. */
export function setAccountsCookie(
  { reply, services }: Call,
  { browser, device, sessionIds }: Device,
  expiresAt: number,
): void {
  const { cookies, sealer, clock } = services;
  const text = [`${browser}.${device}`, ...sessionIds].join(' ');
  cookies.set(reply, 'accounts', sealer.seal(PURPOSE, text), { expiresAt, now: clock.now() });
}
