import type { Transaction } from './handle.ts';

/**
 * Lets only one transaction at a time continue. Take this lock before any row is locked, so that two transactions never
 * deadlock.
 *
 * SQLite has only one writer at a time anyway.
 *
 * @param key names the lock among the advisory locks of a PostgreSQL database
 */
export async function takeTransactionLock(tx: Transaction, key: number): Promise<void> {
  if (tx.kind === 'postgres') await tx.sql`select pg_advisory_xact_lock(${key})`.execute(tx.kysely);
}
