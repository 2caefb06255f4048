import { LRUCache } from 'lru-cache';
import { isUuid } from '../lib/random.ts';
import type { Sealer } from '../lib/sealing.ts';

const PURPOSE = 'cookie session_id';
const MAX_KEPT = 20_000;
const MAX_LENGTH = 256;
/**
 * Maximum number of session cookies that are used from one request. A browser that still has old session cookies sends
 * several.
 */
const MAX_COOKIES = 5;

export interface OpenedId {
  id: string;
  /** When the id was sealed, in milliseconds since the epoch. */
  issuedAt: number;
  /** Whether an older secret sealed the id. The operator will remove that secret later. */
  isAged: boolean;
}

/** Seals a session id together with the given time, for use in cookies and by other applications. */
export const sealSessionId = (sealer: Sealer, id: string, issuedAt: number): string =>
  sealer.seal(PURPOSE, `${id} ${issuedAt}`);

/** Returns the session id in a sealed text, or undefined if this service did not seal the text as a session id. */
export type OpenSessionId = (sealed: string) => OpenedId | undefined;

declare module '../http/route.ts' {
  interface Services {
    openSessionId: OpenSessionId;
  }
}

/**
 * Creates the function that opens sealed session ids.
 *
 * The content of a sealed text never changes, so the function caches it. It does not check whether the session is
 * active; `findSession` does that.
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
 * Opens the session cookies of a request and returns them newest first. If two cookies differ only in Domain, a browser
 * may send the old one before the new one.
 */
export function openedIds(values: readonly string[], openSessionId: OpenSessionId): OpenedId[] {
  const opened = values.map(openSessionId).filter((one) => one !== undefined);
  return opened.sort((a, b) => b.issuedAt - a.issuedAt).slice(0, MAX_COOKIES);
}
