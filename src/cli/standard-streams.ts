/**
 * Keeps the process alive if its output streams fail. Without this, the first error of a standard stream would end the
 * process with a stack. Such an error is usual: `head`, for example, stops reading early.
 *
 * @returns a function that waits until standard output is written. It returns the error of standard output, if any. A
 *   reader that has stopped reading is no error
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

/** Writes to standard error. Throws if that fails. */
export function writeToStderr(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stderr.write(text, (error) => (error ? reject(error) : resolve()));
  });
}
