import { AppError } from '../errors/app-error.ts';
import { subjectOf } from '../events/actor.ts';
import type { Change } from '../events/change.ts';
import { recordEvent } from '../events/record-event.ts';
import { isActiveSuperadmin, lockSuperadmins, requireOtherSuperadmin } from './last-superadmin.ts';
import { deleteUser, insertRemovedUser, lockUserById } from './queries.ts';
import { toUser, type User } from './user.ts';

/**
 * Removes a user with all data. Only the name is kept, so that the audit log can still be searched for it.
 *
 * @throws AppError USER_NOT_FOUND if the user was removed meanwhile; LAST_SUPERADMIN
 */
export function removeUser(
  { database, now, actor }: Change,
  { id, username }: Pick<User, 'id' | 'username'>,
): Promise<void> {
  return database.transaction(async (tx) => {
    await lockSuperadmins(tx);
    const held = await lockUserById.first(tx, { id });
    if (!held) throw new AppError('USER_NOT_FOUND', { username });
    if (isActiveSuperadmin(toUser(held))) await requireOtherSuperadmin(tx, held);
    // Before the row is deleted, so that subscribers can count what ends with it.
    await recordEvent(tx, { type: 'user.removed', actor, subject: subjectOf(held), details: { role: held.role } });
    await insertRemovedUser.run(tx, { id, now });
    await deleteUser.run(tx, { id });
  });
}
