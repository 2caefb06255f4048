import { LRUCache } from 'lru-cache';
import { type Clock, SECOND_MS } from '../lib/clock.ts';
import { INTERVAL_SECONDS } from './request.ts';

const MAX_KEPT = 10_000;
/** The tolerance for polls that the network delays. */
const GRACE_MS = SECOND_MS;

/** Tells whether this process saw another poll of the same device code less than the interval ago. */
export type IsPollTooFast = (deviceCode: string) => boolean;

declare module '../http/route.ts' {
  interface Services {
    isPollTooFast: IsPollTooFast;
  }
}

/**
 * Creates the function that checks the pace of polls.
 *
 * The result is only advice, so it stays in memory: a write for each poll would cost more than the poll.
 */
export function createPollPace({ now }: Clock): IsPollTooFast {
  const lastPolls = new LRUCache<string, number>({ max: MAX_KEPT });
  return (deviceCode) => {
    const last = lastPolls.get(deviceCode);
    const at = now();
    lastPolls.set(deviceCode, at);
    return last !== undefined && at - last < INTERVAL_SECONDS * SECOND_MS - GRACE_MS;
  };
}
