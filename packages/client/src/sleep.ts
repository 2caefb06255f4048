/** The longest delay of a timer. With a longer delay, Node.js and browsers call the function almost at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Resolves after a number of milliseconds, or after 24 days if that is sooner.
 *
 * @throws the abort reason of `signal`, as soon as `signal` is aborted
 */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      },
      Math.min(ms, MAX_TIMER_MS),
    );
    signal?.addEventListener('abort', stop, { once: true });
  });
}
