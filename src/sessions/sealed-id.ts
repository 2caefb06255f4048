import { LRUCache } from 'lru-cache';
import { isUuid } from '../lib/random.ts';
import type { Sealer } from '../lib/sealing.ts';

const PURPOSE = 'cookie session_id';
const MAX_KEPT = 20_000;
const MAX_LENGTH = 256;
/** How many session cookies are read. A browser that kept old ones sends a few. */
const MAX_COOKIES = 5;

export interface OpenedId {
  id: string;
  /** When it was sealed, ms since the epoch. */
  issuedAt: number;
  /** Sealed by a former secret, which the operator will remove later. */
  isAged: boolean;
}

/** Seals a session id, with the current time, for use outside of the service. */
export const sealSessionId = (sealer: Sealer, id: string, issuedAt: number): string =>
  sealer.seal(PURPOSE, `${id} ${issuedAt}`);

/** Finds the session id in a sealed text; undefined unless this service sealed the text as a session id. */
export type OpenSessionId = (sealed: string) => OpenedId | undefined;

declare module '../http/route.ts' {
  interface Services {
    openSessionId: OpenSessionId;
  }
}

/**
 * Creates the function that opens sealed session ids.
 *
 * The content of a sealed text never changes, so the function caches it. `findSession` tells whether the session is
 * active.
 */
export function createOpenSessionId(sealer: Sealer): OpenSessionId {
  const known = new LRUCache<string, OpenedId>({ max: MAX_KEPT });
  return (sealed) => {
    if (sealed.length > MAX_LENGTH) return undefined;
    const kept = known.get(sealed);
    if (kept) return kept;
    const [id = '', issuedAt = ''] = sealer.open(PURPOSE, sealed)?.split(' ') ?? [];
    if (!isUuid(id)) return undefined;
    const opened = { id, issuedAt: Number(issuedAt), isAged: !sealer.isNewest(sealed) };
    known.set(sealed, opened);
    return opened;
  };
}

/**
 * Opens the session cookies of a request, the newest first: a browser sends an old cookie before the new one if the two
 * differ in Domain.
 */
export function openedIds(values: readonly string[], openSessionId: OpenSessionId): OpenedId[] {
  const opened = values.map(openSessionId).filter((one) => one !== undefined);
  return opened.sort((a, b) => b.issuedAt - a.issuedAt).slice(0, MAX_COOKIES);
}
