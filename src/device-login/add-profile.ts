import { MAX_LIFE_DAYS, type ProfileScope } from '../api-tokens/token.ts';
import { AppError } from '../errors/app-error.ts';
import type { Change } from '../events/change.ts';
import { recordEvent } from '../events/record-event.ts';
import { cleanText } from '../lib/plain-text.ts';
import { randomSymbols } from '../lib/random.ts';
import { type Profile, toProfile } from './profile.ts';
import { insertProfile } from './queries.ts';

const KEY = /^[A-Za-z0-9._~-]{6,255}$/;
const MADE_KEY = { alphabet: 'abcdefghijkmnpqrstuvwxyz23456789', length: 12 };

/** The fields that the event about a new profile names. */
const fields = ['name', 'scope', 'allowed_apps', 'expires_in_days'];

export interface NewProfile {
  name: string;
  key?: string | undefined;
  scope: ProfileScope;
  apps: string[];
  expiresInDays: number;
}

/**
 * Validates the fields of a new profile.
 *
 * @returns the profile with its key, which is generated if none was given
 * @throws AppError FIELD_INVALID for an invalid name or key; EXPIRES_DAYS_INVALID
 */
export function requireProfile(profile: NewProfile): NewProfile & { key: string } {
  const name = cleanText(profile.name);
  if (name === '' || [...name].length > 255) throw new AppError('FIELD_INVALID', { field: 'name' });
  const key = profile.key ?? randomSymbols(MADE_KEY.alphabet, MADE_KEY.length);
  if (!KEY.test(key)) throw new AppError('FIELD_INVALID', { field: 'key' });
  const { expiresInDays } = profile;
  if (!(Number.isInteger(expiresInDays) && expiresInDays >= 1 && expiresInDays <= MAX_LIFE_DAYS)) {
    throw new AppError('EXPIRES_DAYS_INVALID', { field: 'expires_in_days', maximum: MAX_LIFE_DAYS });
  }
  return { ...profile, key, name };
}

/**
 * Adds a profile with which programs can start device logins.
 *
 * @throws AppError FIELD_INVALID for an invalid name or key; EXPIRES_DAYS_INVALID; PROFILE_KEY_TAKEN
 */
export async function addProfile({ database, now, actor }: Change, profile: NewProfile): Promise<Profile> {
  const { key, name, scope, apps, expiresInDays } = requireProfile(profile);
  const added = { key, name, scope, allowedApps: JSON.stringify(apps), expiresInDays, now };
  const row = await database.transaction(async (tx) => {
    const inserted = await insertProfile.first(tx, added);
    const details = { key, change: 'created', fields } as const;
    if (inserted) await recordEvent(tx, { type: 'profile.changed', actor, subject: null, details });
    return inserted;
  });
  if (!row) throw new AppError('PROFILE_KEY_TAKEN', { key });
  return toProfile(row);
}
