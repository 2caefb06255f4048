import { LRUCache } from 'lru-cache';
import { isUuid } from '../lib/random.ts';
import type { Sealer } from '../lib/sealing.ts';

const PURPOSE = 'cookie session_id';
const MAX_KEPT = 20_000;
const MAX_LENGTH = 256;

export interface OpenedId {
  id: string;
  /** When it was sealed, ms since the epoch. */
  issuedAt: number;
  /** By a former secret, which will be dropped some day. */
  isAged: boolean;
}

const opened = new WeakMap<Sealer, LRUCache<string, OpenedId>>();

function cacheOf(sealer: Sealer): LRUCache<string, OpenedId> {
  const known = opened.get(sealer) ?? new LRUCache<string, OpenedId>({ max: MAX_KEPT });
  opened.set(sealer, known);
  return known;
}

/** A session id in the form in which it leaves the service, with the moment at which it does. */
export const sealSessionId = (sealer: Sealer, id: string, issuedAt: number): string =>
  sealer.seal(PURPOSE, `${id} ${issuedAt}`);

/**
 * The session id in a sealed text; undefined when it was not sealed as one by this service.
 *
 * Why     what a sealed text holds never changes, so it is remembered; whether the session still counts is asked of
 *         the database each time.
 */
export function openSessionId(sealer: Sealer, sealed: string): OpenedId | undefined {
  if (sealed.length > MAX_LENGTH) return undefined;
  const cache = cacheOf(sealer);
  const known = cache.get(sealed);
  if (known) return known;
  const [id = '', issuedAt = ''] = sealer.open(PURPOSE, sealed)?.split(' ') ?? [];
  if (!isUuid(id)) return undefined;
  const made = { id, issuedAt: Number(issuedAt), isAged: !sealer.isNewest(sealed) };
  cache.set(sealed, made);
  return made;
}
