import { AppError } from '../errors/app-error.ts';
import { subjectOf } from '../events/actor.ts';
import type { Change } from '../events/change.ts';
import { recordEvent } from '../events/record-event.ts';
import { lockUsers } from '../users/lock-users.ts';
import type { User } from '../users/user.ts';
import { renamePasskey as setName } from './passkey-queries.ts';

/**
 * Renames a passkey of a user.
 *
 * @param passkey name: a name from `parsePasskeyName`
 * @throws AppError REF_UNKNOWN if the user has no such passkey
 */
export function renamePasskey(
  { database, actor }: Omit<Change, 'now'>,
  user: Pick<User, 'id' | 'username'>,
  { ref, name }: { ref: string; name: string },
): Promise<void> {
  return database.transaction(async (tx) => {
    await lockUsers(tx, [user.id]);
    if ((await setName.run(tx, { ref, userId: user.id, name })) === 0) throw new AppError('REF_UNKNOWN');
    const details = { kind: 'passkey', change: 'renewed', passkey_ref: ref } as const;
    await recordEvent(tx, { type: 'factor.changed', actor, subject: subjectOf(user), details });
  });
}
