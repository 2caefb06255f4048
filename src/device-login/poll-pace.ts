import { LRUCache } from 'lru-cache';
import type { Services } from '../http/route.ts';
import { SECOND_MS } from '../lib/clock.ts';
import { INTERVAL_SECONDS } from './request.ts';

const MAX_KEPT = 10_000;
/** Networks shake the pace of a program that keeps it; so much is overlooked. */
const GRACE_MS = SECOND_MS;

const lastPolls = new WeakMap<object, LRUCache<string, number>>();

/**
 * Whether this process saw a poll of the same request less than the interval ago.
 *
 * Why     it is advice and refuses nothing, so that it is kept in memory: a write a poll would cost more than the poll.
 */
export function isTooFast({ database, clock }: Pick<Services, 'database' | 'clock'>, deviceCode: string): boolean {
  const polls = lastPolls.get(database) ?? new LRUCache<string, number>({ max: MAX_KEPT });
  lastPolls.set(database, polls);
  const now = clock.now();
  const last = polls.get(deviceCode);
  polls.set(deviceCode, now);
  return last !== undefined && now - last < INTERVAL_SECONDS * SECOND_MS - GRACE_MS;
}
