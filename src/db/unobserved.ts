import type { Database } from './handle.ts';

/** Returns the same database without its observer, for work outside of requests. The query monitor does not show its queries. */
export const unobserved = (database: Database): Database => ({
  ...database,
  observer: undefined,
  unsynced: { ...database.unsynced, observer: undefined },
});
