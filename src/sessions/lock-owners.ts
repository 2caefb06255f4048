import type { Handle } from '../db/handle.ts';
import { lockOwnerRows, type Owned } from './queries.ts';

/**
 * Locks the users whose sessions or waiting sign-ins a browser has, in the order of their ids: what happens in a browser
 * changes rows of all of them.
 *
 * @param tx open transaction that has locked nothing yet
 * @param owned what belongs to the users, and users of whom more is known
 * @see lockUsers
 */
export async function lockOwners(tx: Handle, owned: Partial<Owned>): Promise<void> {
  if (tx.kind !== 'postgres') return;
  const { userIds = [], sessionIds = [], browsers = [], secondStepIds = [] } = owned;
  await lockOwnerRows.all(tx, { userIds, sessionIds, browsers, secondStepIds });
}
