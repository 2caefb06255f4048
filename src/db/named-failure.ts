/** A failure that knows which query failed and its callers. */
interface NamedFailure extends Error {
  query: string;
  /** The lines of the stack from the caller on. The driver's own stack ends in the driver. */
  callers: string;
}

export const isNamedFailure = (error: unknown): error is NamedFailure =>
  error instanceof Error && 'query' in error && 'callers' in error;

const MESSAGE_AND_OWN_FRAMES = 3;

/**
 * Adds the name of a query and its callers to the error of a driver. Otherwise the error stays the same, with its code
 * and class.
 *
 * Call it in the function that awaited the query: only there the stack still contains the callers.
 */
export function nameFailure(error: unknown, query: string): unknown {
  if (!(error instanceof Error) || isNamedFailure(error)) return error;
  const callers = new Error().stack?.split('\n').slice(MESSAGE_AND_OWN_FRAMES).join('\n') ?? '';
  return Object.assign(error, { query, callers });
}
