/** A failure that knows which query failed and who asked for it. */
interface NamedFailure extends Error {
  query: string;
  /** The lines of the stack from the caller on. The driver's own stack ends in the driver. */
  callers: string;
}

export const isNamedFailure = (error: unknown): error is NamedFailure =>
  error instanceof Error && 'query' in error && 'callers' in error;

const MESSAGE_AND_OWN_FRAMES = 3;

/**
 * Adds the name of a query and its callers to what a driver threw. The error stays the same otherwise, so that its code
 * and class can be looked at.
 *
 * Call it in the function that awaited the query: only there the stack still has those that wait for it.
 */
export function nameFailure(error: unknown, query: string): unknown {
  if (!(error instanceof Error) || isNamedFailure(error)) return error;
  const callers = new Error().stack?.split('\n').slice(MESSAGE_AND_OWN_FRAMES).join('\n') ?? '';
  return Object.assign(error, { query, callers });
}
