import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits for work, but no longer than `ms`. The work itself goes on.
 *
 * @throws what `late` makes, if the work has not ended by then; what the work throws
 */
export async function within<T>(work: Promise<T>, ms: number, late: () => Error): Promise<T> {
  const stop = new AbortController();
  const end = sleep(ms, undefined, { signal: stop.signal }).then(() => {
    throw late();
  });
  return Promise.race([work, end]).finally(() => {
    stop.abort();
    end.catch(() => undefined);
  });
}
