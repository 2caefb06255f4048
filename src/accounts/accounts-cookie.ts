import type { CookieChange } from '../http/cookies.ts';
import { isUuid } from '../lib/random.ts';
import type { Sealer } from '../lib/sealing.ts';
import type { AccountListName } from '../sessions/queries.ts';

const PURPOSE = 'cookie remembered_accounts';

/** The content of a browser's cookie of remembered accounts. The sessions themselves are in the database. */
export interface Device extends AccountListName {
  /** The ids of the sessions in the list, newest session first. */
  sessionIds: string[];
}

function parseDevice(text: string): Device | undefined {
  const [names = '', ...sessionIds] = text.split(' ');
  const [browser, device] = names.split('.');
  return browser && device && sessionIds.every(isUuid) ? { browser, device, sessionIds } : undefined;
}

/**
 * Opens the account lists in a browser's cookies. Normally a browser sends one list. It sends more if another site
 * planted a cookie.
 *
 * @param values all values of the browser's accounts cookie
 */
export const openAccountLists = (sealer: Sealer, values: readonly string[]): Device[] =>
  values.flatMap((sealed) => {
    const text = sealer.open(PURPOSE, sealed);
    return (text && parseDevice(text)) || [];
  });

/** Returns the cookie with which a browser remembers a list of accounts. */
export const accountsCookie = (
  sealer: Sealer,
  { browser, device, sessionIds }: Device,
  expiresAt: number,
): CookieChange => ({
  cookie: 'accounts',
  value: sealer.seal(PURPOSE, [`${browser}.${device}`, ...sessionIds].join(' ')),
  expiresAt,
});
