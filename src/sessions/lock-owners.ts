import type { Handle } from '../db/handle.ts';
import { lockOwnerRows, type Owned } from './queries.ts';

/**
 * Locks the users of a browser's sessions and waiting sign-ins, in the order of their ids, because an action in a
 * browser changes rows of all of them.
 *
 * @param tx open transaction that has locked nothing yet
 * @param owned the sessions, lists and waiting sign-ins of the users, and further users
 * @see lockUsers
 */
export async function lockOwners(tx: Handle, owned: Partial<Owned>): Promise<void> {
  if (tx.kind !== 'postgres') return;
  const { userIds = [], sessionIds = [], browsers = [], secondStepIds = [] } = owned;
  await lockOwnerRows.all(tx, { userIds, sessionIds, browsers, secondStepIds });
}
