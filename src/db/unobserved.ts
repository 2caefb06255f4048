import type { Database } from './handle.ts';

/** The same database for work that belongs to no request. The query monitor does not show its queries. */
export const unobserved = (database: Database): Database => ({ ...database, observer: undefined });
