import { LRUCache } from 'lru-cache';
import { type Clock, SECOND_MS } from '../lib/clock.ts';
import { INTERVAL_SECONDS } from './request.ts';

const MAX_KEPT = 10_000;
/** Polls may come this much too early, because the network can delay the previous one. */
const GRACE_MS = SECOND_MS;

/** Returns whether this process received another poll of the same device code less than the interval ago. */
export type IsPollTooFast = (deviceCode: string) => boolean;

declare module '../http/route.ts' {
  interface Services {
    isPollTooFast: IsPollTooFast;
  }
}

/**
 * Creates the function that checks the pace of polls.
 *
 * It remembers polls only in memory. A poll that is too fast is only told to slow down, and a database write for each poll
 * would cost more than the poll itself.
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
