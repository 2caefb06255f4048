/**
 * Keeps this process alive if nothing reads its output: otherwise the first error of a standard stream ends it with a
 * stack. The reader of standard output may stop early, as `head` does.
 *
 * @returns a function that waits until standard output has taken everything. It returns the error, unless the reader
 *   has gone
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
