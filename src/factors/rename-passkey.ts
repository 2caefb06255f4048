import { AppError } from '../errors/app-error.ts';
import { subjectOf } from '../events/actor.ts';
import type { Change } from '../events/change.ts';
import { recordEvent } from '../events/record-event.ts';
import { lockUsers } from '../users/lock-users.ts';
import type { User } from '../users/user.ts';
import { passkeysOfUser, renamePasskey as setName } from './passkey-queries.ts';

/**
 * Renames a passkey of a user. If it already has this name, writes nothing and records no event.
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
    const before = (await passkeysOfUser.all(tx, { userId: user.id })).find((passkey) => passkey.ref === ref);
    if (!before) throw new AppError('REF_UNKNOWN');
    if (before.name === name) return;
    await setName.run(tx, { ref, userId: user.id, name });
    const details = { kind: 'passkey', change: 'renewed', passkey_ref: ref } as const;
    await recordEvent(tx, { type: 'factor.changed', actor, subject: subjectOf(user), details });
  });
}
