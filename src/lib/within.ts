import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits for work, but not longer than `ms`. The work itself is not stopped.
 *
 * @throws the error that `late` returns, if the work takes too long; or the error of the work
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
