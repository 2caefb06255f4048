import { AppError } from '../errors/app-error.ts';
import type { Change } from '../events/change.ts';
import { requireActiveSession } from '../sessions/find-session.ts';
import type { Session } from '../sessions/session.ts';
import type { Settings } from '../settings/table.ts';
import { applyUserChange } from '../users/change-user.ts';
import { parseFullName, parseImageAddress } from '../users/fields.ts';
import { lockActiveUser } from '../users/queries.ts';
import { toUser } from '../users/user.ts';

/** The fields of the profile that users may change. Missing fields stay unchanged. */
export interface ProfileChange {
  fullName: string | undefined;
  image: string | undefined;
}

/**
 * Changes the name and picture of a session's user.
 *
 * @throws AppError FIELD_INVALID; PROFILE_LOCKED; NOT_SIGNED_IN if the session or the user has ended meanwhile
 */
export async function changeProfile(
  { database, settings, ...change }: Change & { settings: Pick<Settings, 'PROFILE_EDIT'> },
  session: Pick<Session, 'id' | 'userId'>,
  { fullName, image }: ProfileChange,
): Promise<void> {
  const wanted = { fullName: parseFullName(fullName), image: parseImageAddress(image) };
  if (settings.PROFILE_EDIT === 'off') throw new AppError('PROFILE_LOCKED');
  await database.transaction(async (tx) => {
    const row = await lockActiveUser.first(tx, { id: session.userId });
    if (!row) throw new AppError('NOT_SIGNED_IN');
    await requireActiveSession(tx, session, change.now);
    await applyUserChange(tx, change, toUser(row), wanted);
  });
}
