import type { CookieChange } from '../http/cookies.ts';
import { isUuid } from '../lib/random.ts';
import type { Sealer } from '../lib/sealing.ts';
import type { AccountListName } from '../sessions/queries.ts';

const PURPOSE = 'cookie remembered_accounts';

/** The content of a browser's cookie of remembered accounts. The sessions themselves are in the database. */
export interface Device extends AccountListName {
  /** The sessions in the last list of this browser, the newest first. */
  sessionIds: string[];
}

function parseDevice(text: string): Device | undefined {
  const [names = '', ...sessionIds] = text.split(' ');
  const [browser, device] = names.split('.');
  return browser && device && sessionIds.every(isUuid) ? { browser, device, sessionIds } : undefined;
}

/**
 * The lists of accounts of a browser: one, unless another was planted.
 *
 * @param values of the browser's cookies
 */
export const openAccountLists = (sealer: Sealer, values: readonly string[]): Device[] =>
  values.flatMap((sealed) => {
    const text = sealer.open(PURPOSE, sealed);
    return (text && parseDevice(text)) || [];
  });

/** Lets a browser remember a list until the last of its sessions expires. */
export const accountsCookie = (
  sealer: Sealer,
  { browser, device, sessionIds }: Device,
  expiresAt: number,
): CookieChange => ({
  cookie: 'accounts',
  value: sealer.seal(PURPOSE, [`${browser}.${device}`, ...sessionIds].join(' ')),
  expiresAt,
});
