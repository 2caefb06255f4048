import { AppError } from '../errors/app-error.ts';
import type { Change } from '../events/change.ts';
import { recordEvent } from '../events/record-event.ts';
import { type Profile, toProfile } from './profile.ts';
import { disableActiveProfile, enableDisabledProfile, profileByKey } from './queries.ts';

/**
 * Disables a profile or puts it in use again. By a disabled profile no program signs in any more, and its open requests
 * end. A state that is there already stays, and leaves no event.
 *
 * @throws AppError PROFILE_NOT_FOUND
 */
export function setProfileState({ database, now, actor }: Change, key: string, isActive: boolean): Promise<Profile> {
  return database.transaction(async (tx) => {
    const changed = await (isActive
      ? enableDisabledProfile.first(tx, { key })
      : disableActiveProfile.first(tx, { key, now }));
    const row = changed ?? (await profileByKey.first(tx, { key }));
    if (!row) throw new AppError('PROFILE_NOT_FOUND', { key });
    const details = { key, change: isActive ? 'enabled' : 'disabled', fields: ['is_active'] } as const;
    if (changed) await recordEvent(tx, { type: 'profile.changed', actor, subject: null, details });
    return toProfile(row);
  });
}
