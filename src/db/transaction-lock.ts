import type { Transaction } from './handle.ts';

/**
 * Waits until no other transaction holds this lock, and keeps it until the transaction ends. Take it before locking any row,
 * so that two transactions never deadlock.
 *
 * Does nothing on SQLite, which has only one writer at a time.
 *
 * @param key number of the advisory lock in PostgreSQL
 */
export async function takeTransactionLock(tx: Transaction, key: number): Promise<void> {
  if (tx.kind === 'postgres') await tx.sql`select pg_advisory_xact_lock(${key})`.execute(tx.kysely);
}
