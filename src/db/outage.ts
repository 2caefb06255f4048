/** Failures with which a database said that it has no answer for now. */
const outages = new WeakSet<Error>();

/** Remembers a failure as an outage. Only the code that knows the driver can tell, so it calls this. */
export function markOutage(error: unknown): void {
  if (error instanceof Error) outages.add(error);
}

/**
 * Whether a failure comes from a database that cannot answer for now: it is unreachable, locked, full or read-only, or
 * it was too slow. The same request can succeed later.
 */
export const isOutage = (error: unknown): error is Error => error instanceof Error && outages.has(error);
