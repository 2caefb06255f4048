/**
 * Writes to standard output, and waits until the text is written.
 *
 * @returns false if no one reads the output any more
 */
export const print = (text: string): Promise<boolean> =>
  new Promise((resolve) => {
    process.stdout.write(text, (error) => resolve(!error));
  });

/** Returns a signal that SIGINT or SIGTERM aborts. From then on, these signals no longer end the process by themselves. */
export function stopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => controller.abort());
  return controller.signal;
}
