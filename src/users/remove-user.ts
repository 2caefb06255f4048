import { subjectOf } from '../events/actor.ts';
import type { Change } from '../events/change.ts';
import { recordEvent } from '../events/record-event.ts';
import { lockSeenUser } from './change-user.ts';
import { isActiveSuperadmin, lockSuperadmins, requireOtherSuperadmin } from './last-superadmin.ts';
import { deleteUser, insertRemovedUser } from './queries.ts';
import type { User } from './user.ts';

/**
 * Removes a user with all data. Only the name is kept, so that the audit log can still be searched by it.
 *
 * @param version the version of the user that the console has shown; undefined removes the user whatever the version is
 * @throws AppError USER_NOT_FOUND if the user no longer exists; CHANGED_MEANWHILE if the user has another version now;
 *   LAST_SUPERADMIN
 */
export function removeUser(
  { database, now, actor }: Change,
  { id }: Pick<User, 'id'>,
  version?: number,
): Promise<void> {
  return database.transaction(async (tx) => {
    await lockSuperadmins(tx);
    const held = await lockSeenUser(tx, { id, version });
    if (isActiveSuperadmin(held)) await requireOtherSuperadmin(tx, held);
    // The event is recorded before the row is deleted, so that subscribers can count the sessions and grants that end.
    await recordEvent(tx, { type: 'user.removed', actor, subject: subjectOf(held), details: { role: held.role } });
    await insertRemovedUser.run(tx, { id, now });
    await deleteUser.run(tx, { id });
  });
}
