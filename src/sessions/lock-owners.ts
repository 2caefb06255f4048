import type { Handle } from '../db/handle.ts';
import { lockOwnerRows, type Owned } from './queries.ts';

/**
 * Locks the users of a browser's sessions and unfinished sign-ins, in the order of their ids. An action in a browser
 * can change rows of all these users.
 *
 * @param tx open transaction that has locked nothing yet
 * @param owned session ids, browsers and ids of unfinished sign-ins whose users are locked, and further user ids
 * @see lockUsers
 */
export async function lockOwners(tx: Handle, owned: Partial<Owned>): Promise<void> {
  if (tx.kind !== 'postgres') return;
  const { userIds = [], sessionIds = [], browsers = [], secondStepIds = [] } = owned;
  await lockOwnerRows.all(tx, { userIds, sessionIds, browsers, secondStepIds });
}
