import { parseList } from '../users/user.ts';

/**
 * What ends a grant besides its user, its application and its withdrawal. `session`: the session that gave it. `offline`
 * and `device`: nothing more. `consent` gives no access; it remembers what a user agreed to.
 */
export type GrantKind = 'session' | 'offline' | 'device' | 'consent';

const CLAIMED_SCOPES = ['openid', 'profile', 'email', 'roles', 'apps'] as const;
export const OFFLINE = 'offline_access';

/** The parameter that tells the library that an application of ours asks for `OFFLINE`. */
export const OFFLINE_PARAMETER = 'authsvc_offline';

/** Every scope that means something here. */
export const allScopes: readonly string[] = [...CLAIMED_SCOPES, OFFLINE];

/** A user as applications may know them. */
export interface GrantUser {
  id: number;
  sub: string;
  username: string;
  fullName: string;
  role: string;
  allowedApps: string[];
  image: string;
  email: string | null;
  updatedAt: number;
}

interface GrantUserRow {
  sub: string;
  username: string;
  full_name: string;
  role: string;
  allowed_apps: string;
  image: string;
  email: string | null;
  updated_at: number;
}

/** The user with this id, from a row of another table with the columns of the user. */
export const toGrantUser = (id: number, row: GrantUserRow): GrantUser => ({
  id,
  sub: row.sub,
  username: row.username,
  fullName: row.full_name,
  role: row.role,
  allowedApps: parseList(row.allowed_apps),
  image: row.image,
  email: row.email,
  updatedAt: row.updated_at,
});

/** A grant with what its user is now. */
export interface Grant {
  id: string;
  kind: GrantKind;
  /** Of its application. */
  key: string;
  user: GrantUser;
  /** Null: it is bound to none. */
  sessionId: string | null;
  sessionExpiresAt: number | null;
  /** Names the session at the application. */
  sid: string;
  scopes: string[];
  resource: string | null;
  nonce: string | null;
  authenticatedAt: number;
  amr: string[];
  expiresAt: number;
}

/** Scopes as OAuth writes them. */
export const parseScopes = (text: string): string[] => text.split(' ').filter((scope) => scope !== '');

/**
 * How sure it is who signed in: `aal2` by two factors at once.
 *
 * @see NIST SP 800-63B
 */
export const acrOf = (amr: readonly string[]): 'aal1' | 'aal2' => (amr.includes('mfa') ? 'aal2' : 'aal1');
