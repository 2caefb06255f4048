import type { SelectQueryBuilder } from 'kysely';
import type { DatabaseKind } from './handle.ts';

/**
 * Skips rows that another transaction has locked, and locks the others. For rows that can also be deleted later: a
 * transaction that waits for no row cannot deadlock. SQLite has only one writer at a time.
 *
 * @see PostgreSQL, SELECT, the locking clause
 */
export const skipLocked =
  (kind: DatabaseKind) =>
  <DB, TB extends keyof DB, O>(query: SelectQueryBuilder<DB, TB, O>): SelectQueryBuilder<DB, TB, O> =>
    kind === 'postgres' ? query.forUpdate().skipLocked() : query;
