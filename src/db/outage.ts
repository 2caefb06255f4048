/** Property of errors that an outage of the database caused. It is a symbol, so that no log shows it. */
const OUTAGE = Symbol('outage');

/** Marks an error as caused by an outage. The code for each driver calls this, because only it knows the driver's errors. */
export function markOutage(error: unknown): void {
  if (error instanceof Error) Object.defineProperty(error, OUTAGE, { value: true });
}

/**
 * Returns whether an error comes from a database that cannot answer at the moment: it is unreachable, locked, full,
 * read-only or too slow. The same request can succeed later.
 */
export const isOutage = (error: unknown): error is Error => error instanceof Error && OUTAGE in error;
