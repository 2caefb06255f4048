import { MAX_LIFE_DAYS, type TokenScope } from '../api-tokens/token.ts';
import { Refusal } from '../command/refusal.ts';
import type { Handle } from '../db/handle.ts';
import { cleanText } from '../lib/plain-text.ts';
import { randomSymbols } from '../lib/random.ts';
import { type Profile, toProfile } from './profile.ts';
import { insertProfile } from './queries.ts';

const KEY = /^[A-Za-z0-9._~-]{6,255}$/;
const MADE_KEY = { alphabet: 'abcdefghijkmnpqrstuvwxyz23456789', length: 12 };

export interface NewProfile {
  name: string;
  key?: string | undefined;
  scope: TokenScope;
  apps: string[];
  expiresInDays: number;
}

/**
 * Adds a profile by which programs sign in.
 *
 * Throws  Refusal for an impossible name, key or lifetime, and for a key that is taken.
 */
export async function addProfile(handle: Handle, profile: NewProfile, now: number): Promise<Profile> {
  const name = cleanText(profile.name);
  if (name === '' || [...name].length > 255) throw new Refusal('The name of a profile has 1 to 255 characters.');
  const key = profile.key ?? randomSymbols(MADE_KEY.alphabet, MADE_KEY.length);
  if (!KEY.test(key)) throw new Refusal('A key has 6 to 255 characters: letters, digits and . _ ~ -');
  const { scope, apps, expiresInDays } = profile;
  if (!(expiresInDays >= 1 && expiresInDays <= MAX_LIFE_DAYS)) {
    throw new Refusal(`Tokens of a profile live 1 to ${MAX_LIFE_DAYS} days.`);
  }
  const row = await insertProfile.first(handle, {
    key,
    name,
    scope,
    allowedApps: JSON.stringify(apps),
    expiresInDays,
    now,
  });
  if (!row) throw new Refusal(`There is already a profile with the key ${JSON.stringify(key)}.`);
  return toProfile(row);
}
