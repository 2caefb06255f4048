import { AppError } from '../errors/app-error.ts';
import { subjectOf } from '../events/actor.ts';
import type { Change } from '../events/change.ts';
import type { EventDetails } from '../events/event-types.ts';
import { recordEvent } from '../events/record-event.ts';
import type { PasswordHasher } from '../lib/password-hash.ts';
import type { ApplicationName } from '../settings/application-name.ts';
import { hashNewPassword } from './add-user.ts';
import { contextWords } from './password-rules.ts';
import { setPasswordHash } from './queries.ts';
import type { User } from './user.ts';

interface NewPassword {
  user: Pick<User, 'id' | 'username'>;
  password: string;
  way: EventDetails['password.changed']['way'];
}

/**
 * Sets a user's password. Subscribers to the event end everything that the old password gave access to.
 *
 * @throws AppError PASSWORD_TOO_SHORT, PASSWORD_TOO_LONG, PASSWORD_TOO_COMMON; USER_NOT_FOUND if the user no longer
 *   exists
 */
export async function changePassword(
  {
    database,
    passwords,
    application,
    actor,
  }: Omit<Change, 'now'> & { passwords: PasswordHasher; application: ApplicationName },
  { user, password, way }: NewPassword,
): Promise<void> {
  const hash = await hashNewPassword(passwords, password, contextWords(user.username, application));
  await database.transaction(async (tx) => {
    const changed = await setPasswordHash.run(tx, { id: user.id, hash });
    if (changed === 0) throw new AppError('USER_NOT_FOUND', { username: user.username });
    await recordEvent(tx, { type: 'password.changed', actor, subject: subjectOf(user), details: { way } });
  });
}
