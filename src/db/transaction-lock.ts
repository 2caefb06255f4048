import type { Transaction } from './handle.ts';

/**
 * Lets only one transaction at a time go on from here. Take it before any row is locked, so that two never deadlock.
 *
 * On SQLite there is only one that writes anyway.
 *
 * @param key names the lock among the advisory locks of a PostgreSQL database
 */
export async function takeTransactionLock(tx: Transaction, key: number): Promise<void> {
  if (tx.kind === 'postgres') await tx.sql`select pg_advisory_xact_lock(${key})`.execute(tx.kysely);
}
