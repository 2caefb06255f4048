import type { Handle } from '../db/handle.ts';
import { lockUserRows, lockUsersTable } from './queries.ts';

/**
 * Locks users until the transaction ends, in the order of their ids.
 *
 * A transaction that writes several rows of a user locks the user first. So two transactions that touch the same rows
 * wait for each other here, and neither holds a row that the other needs. On SQLite a transaction has the whole
 * database to itself.
 *
 * @param tx open transaction that has locked nothing yet
 * @see docs/decisions/0003-sqlite-and-postgresql-behind-one-schema.md
 */
export async function lockUsers(tx: Handle, ids: readonly number[]): Promise<void> {
  if (tx.kind === 'postgres') await lockUserRows.all(tx, { ids });
}

/** The same for all users. Reads continue. */
export async function lockAllUsers(tx: Handle): Promise<void> {
  if (tx.kind === 'postgres') await lockUsersTable.run(tx, {});
}
