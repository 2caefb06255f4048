/** On failures with which a database said that it has no answer for now. A symbol, so that no log shows it. */
const OUTAGE = Symbol('outage');

/** Marks a failure as an outage. Only the code that knows the driver can tell, so it calls this. */
export function markOutage(error: unknown): void {
  if (error instanceof Error) Object.defineProperty(error, OUTAGE, { value: true });
}

/**
 * Whether a failure comes from a database that cannot answer for now: it is unreachable, locked, full or read-only, or
 * it was too slow. The same request can succeed later.
 */
export const isOutage = (error: unknown): error is Error => error instanceof Error && OUTAGE in error;
