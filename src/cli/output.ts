/**
 * Writes to standard output, and waits until it has taken the text.
 *
 * @returns false if the reader has gone
 */
export const print = (text: string): Promise<boolean> =>
  new Promise((resolve) => {
    process.stdout.write(text, (error) => resolve(!error));
  });

/** Makes a signal that SIGINT or SIGTERM aborts, instead of ending the process. */
export function stopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => controller.abort());
  return controller.signal;
}
