import type { SelectQueryBuilder } from 'kysely';
import type { DatabaseKind } from './handle.ts';

/**
 * Makes a query lock its rows and skip those that another transaction has locked. Use it for rows that can also be deleted
 * later: a transaction that never waits for a row cannot deadlock. SQLite needs no locks, because it has only one writer.
 *
 * @see PostgreSQL, SELECT, the locking clause
 */
export const skipLocked =
  (kind: DatabaseKind) =>
  <DB, TB extends keyof DB, O>(query: SelectQueryBuilder<DB, TB, O>): SelectQueryBuilder<DB, TB, O> =>
    kind === 'postgres' ? query.forUpdate().skipLocked() : query;
