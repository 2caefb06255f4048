import { AppError } from '../errors/app-error.ts';
import type { Change } from '../events/change.ts';
import { recordEvent } from '../events/record-event.ts';
import { type Profile, toProfile } from './profile.ts';
import { disableActiveProfile, profileByKey } from './queries.ts';

/**
 * Disables a profile: no program can sign in with it any more, and its open requests end. Disabling it again changes
 * nothing.
 *
 * @throws AppError PROFILE_NOT_FOUND
 */
export function disableProfile({ database, now, actor }: Change, key: string): Promise<Profile> {
  return database.transaction(async (tx) => {
    const disabled = await disableActiveProfile.first(tx, { key, now });
    const row = disabled ?? (await profileByKey.first(tx, { key }));
    if (!row) throw new AppError('PROFILE_NOT_FOUND', { key });
    const details = { key, change: 'disabled', fields: ['is_active'] } as const;
    if (disabled) await recordEvent(tx, { type: 'profile.changed', actor, subject: null, details });
    return toProfile(row);
  });
}
