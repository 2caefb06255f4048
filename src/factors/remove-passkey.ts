import { AppError } from '../errors/app-error.ts';
import { subjectOf } from '../events/actor.ts';
import type { Change } from '../events/change.ts';
import { recordEvent } from '../events/record-event.ts';
import type { Settings } from '../settings/table.ts';
import { lockUsers } from '../users/lock-users.ts';
import type { User } from '../users/user.ts';
import { deletePasskey } from './passkey-queries.ts';
import { hasWayIn } from './ways-in.ts';

interface Removal {
  ref: string;
  /** Whether the passkey may be removed even if the user then has no way to sign in. */
  mayBeLast: boolean;
}

/** The result of removing a passkey. */
export interface RemovedPasskey {
  sessionsEnded: number;
  /** Whether the user now has no way to sign in. */
  wasLastWayIn: boolean;
}

/**
 * Removes a passkey. Subscribers of the event end the sessions that were started with it.
 *
 * @throws AppError REF_UNKNOWN if the user has no such passkey; LAST_WAY_IN if it is the user's last way to sign in
 * and `mayBeLast` is false
 */
export function removePasskey(
  { database, actor, settings }: Omit<Change, 'now'> & { settings: Settings },
  user: Pick<User, 'id' | 'username'>,
  { ref, mayBeLast }: Removal,
): Promise<RemovedPasskey> {
  const subject = subjectOf(user);
  return database.transaction(async (tx) => {
    await lockUsers(tx, [user.id]);
    if ((await deletePasskey.run(tx, { ref, userId: user.id })) === 0)
      throw new AppError('REF_UNKNOWN', { username: user.username, id: ref });
    const wasLastWayIn = !(await hasWayIn(tx, settings, user.id));
    if (wasLastWayIn && !mayBeLast) throw new AppError('LAST_WAY_IN', { userId: user.id });
    const details = { kind: 'passkey', change: 'removed', passkey_ref: ref } as const;
    const counts = await recordEvent(tx, { type: 'factor.changed', actor, subject, details });
    return { sessionsEnded: counts.sessions_ended ?? 0, wasLastWayIn };
  });
}
