import { LRUCache } from 'lru-cache';
import { isUuid } from '../kit/random.ts';
import type { Sealer } from '../kit/sealing.ts';

const PURPOSE = 'cookie session_id';
const MOST_KEPT = 20_000;
const LONGEST = 256;

const opened = new WeakMap<Sealer, LRUCache<string, string>>();

function cacheOf(sealer: Sealer): LRUCache<string, string> {
  const known = opened.get(sealer) ?? new LRUCache<string, string>({ max: MOST_KEPT });
  opened.set(sealer, known);
  return known;
}

/** A session id in the form in which it leaves the service. */
export const sealSessionId = (sealer: Sealer, id: string): string => sealer.seal(PURPOSE, id);

/**
 * The session id in a sealed text; undefined when it was not sealed as one by this service.
 *
 * Why     what a sealed text holds never changes, so it is remembered; whether the session still counts is asked of
 *         the database each time.
 */
export function openSessionId(sealer: Sealer, sealed: string): string | undefined {
  if (sealed.length > LONGEST) return undefined;
  const cache = cacheOf(sealer);
  const known = cache.get(sealed);
  if (known) return known;
  const id = sealer.open(PURPOSE, sealed);
  if (!id || !isUuid(id)) return undefined;
  cache.set(sealed, id);
  return id;
}
