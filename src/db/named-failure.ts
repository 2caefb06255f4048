/** An error that also contains the name of the failed query and the stack of its callers. */
interface NamedFailure extends Error {
  query: string;
  /** The lines of the stack, starting with the caller. The stack of the driver's error ends inside the driver. */
  callers: string;
}

export const isNamedFailure = (error: unknown): error is NamedFailure =>
  error instanceof Error && 'query' in error && 'callers' in error;

const MESSAGE_AND_OWN_FRAMES = 3;

/**
 * Adds the name and the callers of a query to the driver's error. The error keeps its class and its code.
 *
 * Call this in the function that awaited the query, because only there does the stack still contain the callers.
 */
export function nameFailure(error: unknown, query: string): unknown {
  if (!(error instanceof Error) || isNamedFailure(error)) return error;
  const callers = new Error().stack?.split('\n').slice(MESSAGE_AND_OWN_FRAMES).join('\n') ?? '';
  return Object.assign(error, { query, callers });
}
