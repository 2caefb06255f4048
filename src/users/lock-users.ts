import type { Handle } from '../db/handle.ts';
import { lockUserRows, lockUsersTable } from './queries.ts';

/**
 * Locks users until the transaction ends, in the order of their ids.
 *
 * A transaction that writes several rows of a user locks the user first. Two transactions that change the same rows
 * therefore wait for each other here, and cannot deadlock. On SQLite this does nothing, because a transaction locks the
 * whole database.
 *
 * @param tx open transaction that has locked nothing yet
 * @see docs/decisions/0003-sqlite-and-postgresql-behind-one-schema.md
 */
export async function lockUsers(tx: Handle, ids: readonly number[]): Promise<void> {
  if (tx.kind === 'postgres') await lockUserRows.all(tx, { ids });
}

/** Locks all users until the transaction ends. Other transactions can still read them. */
export async function lockAllUsers(tx: Handle): Promise<void> {
  if (tx.kind === 'postgres') await lockUsersTable.run(tx, {});
}
