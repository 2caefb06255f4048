import { LRUCache } from 'lru-cache';
import { MINUTE_MS } from '../lib/clock.ts';

declare module '../http/route.ts' {
  interface Services {
    /**
     * Logs a warning that a proxy sent a key that belongs to no active application. Logs at most one warning per minute
     * for each key.
     */
    warnOfUnknownApp(key: string): void;
  }
}

const MAX_KEYS = 1000;
const MAX_SHOWN = 64;

export function createUnknownAppWarning(log: { warn(facts: object, text: string): void }) {
  const warned = new LRUCache<string, true>({ max: MAX_KEYS, ttl: MINUTE_MS });
  return (key: string): void => {
    if (warned.has(key)) return;
    warned.set(key, true);
    log.warn(
      { app: key.slice(0, MAX_SHOWN) },
      'a proxy checked a request for an application that is unknown or disabled',
    );
  };
}
