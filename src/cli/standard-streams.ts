/**
 * Lets this process live on where nobody takes what it says: without this, the first error of a standard stream ends it
 * with a stack. What reads standard output may end when it has seen enough, as `head` does.
 *
 * Gives   what waits until standard output has taken all, and gives why it did not, unless its reader has gone.
 */
export function guardStreams(): () => Promise<Error | undefined> {
  let failure: Error | undefined;
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', (error: Error & { code?: string }) => {
    if (error.code !== 'EPIPE') failure ??= error;
  });
  return async () => {
    await new Promise((resolve) => process.stdout.write('', resolve));
    await new Promise(setImmediate);
    return failure;
  };
}

/** Writes to standard error. Throws where it could not be written. */
export function writeToStderr(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stderr.write(text, (error) => (error ? reject(error) : resolve()));
  });
}
