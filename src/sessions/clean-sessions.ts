import type { Services } from '../http/route.ts';
import { MINUTE_MS } from '../kit/clock.ts';
import { deleteExpiredSessions } from './queries.ts';

const EVERY_MS = 5 * MINUTE_MS;
const MOST_AT_ONCE = 500;

/** Removes sessions that are over, a few at a time, every five minutes, until the answered function is called. */
export function startCleaning({ database, clock, log }: Pick<Services, 'database' | 'clock' | 'log'>): () => void {
  const clean = async () => {
    try {
      await deleteExpiredSessions.run(database, { now: clock.now(), most: MOST_AT_ONCE });
    } catch (error) {
      log.warn({ err: error }, 'expired sessions could not be removed');
    }
  };
  const timer = setInterval(() => void clean(), EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
