import { AppError } from '../errors/app-error.ts';
import type { Change } from '../events/change.ts';
import { recordEvent } from '../events/record-event.ts';
import { type Profile, toProfile } from './profile.ts';
import { disableActiveProfile, enableDisabledProfile, profileByKey } from './queries.ts';

/**
 * Disables or enables a profile. Programs can no longer sign in with a disabled profile, and its open requests expire. If
 * the profile already has the wanted state, nothing changes and no event is recorded.
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
