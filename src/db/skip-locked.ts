import type { SelectQueryBuilder } from 'kysely';
import type { DatabaseKind } from './handle.ts';

/**
 * Leaves out rows that another transaction has locked, and locks the others. For rows that can as well be deleted later:
 * a transaction that waits for none of them takes part in no deadlock. On SQLite there is one writer at a time anyway.
 *
 * @see PostgreSQL, SELECT, the locking clause
 */
export const skipLocked =
  (kind: DatabaseKind) =>
  <DB, TB extends keyof DB, O>(query: SelectQueryBuilder<DB, TB, O>): SelectQueryBuilder<DB, TB, O> =>
    kind === 'postgres' ? query.forUpdate().skipLocked() : query;
