import { type ProfileScope, parseProfileScope } from '../api-tokens/token.ts';
import { parseList } from '../users/user.ts';

/** The scope, applications and lifetime that tokens of a device login get. */
export interface Profile {
  id: number;
  key: string;
  name: string;
  scope: ProfileScope;
  allowedApps: string[];
  expiresInDays: number;
  disabledAt: number | null;
}

interface ProfileRow {
  id: number;
  key: string;
  name: string;
  scope: string;
  allowed_apps: string;
  expires_in_days: number;
  disabled_at: number | null;
}

export const toProfile = (row: ProfileRow): Profile => ({
  id: row.id,
  key: row.key,
  name: row.name,
  scope: parseProfileScope(row.scope),
  allowedApps: parseList(row.allowed_apps),
  expiresInDays: row.expires_in_days,
  disabledAt: row.disabled_at,
});

/** Converts a profile to the JSON of the command line. */
export const toProfileJson = ({ id, key, name, scope, allowedApps, expiresInDays, disabledAt }: Profile) => ({
  id,
  key,
  name,
  scope,
  allowed_apps: allowedApps,
  expires_in_days: expiresInDays,
  is_active: disabledAt === null,
});
