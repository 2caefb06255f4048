import { parseList } from '../users/user.ts';

/**
 * The kind of a grant decides when it ends. Every grant ends with its user or its application, or when the user
 * withdraws it.
 *
 * - `session`: also ends with the session in which it was given.
 * - `offline` and `device`: end for no other reason.
 * - `consent`: gives no access. It stores what a user agreed to.
 */
export type GrantKind = 'session' | 'offline' | 'device' | 'consent';

const CLAIMED_SCOPES = ['openid', 'profile', 'email', 'roles', 'apps'] as const;
export const OFFLINE = 'offline_access';

/** The parameter that tells the library that an application of the operator requests the scope `OFFLINE`. */
export const OFFLINE_PARAMETER = 'authsvc_offline';

/** All scopes that this service supports. */
export const allScopes: readonly string[] = [...CLAIMED_SCOPES, OFFLINE];

/** The data of a user that applications may get. */
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

/**
 * Converts a row with the columns of a user. The row may come from another table, so the user id is passed
 * separately.
 */
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

/** A grant with the current data of its user. */
export interface Grant {
  id: string;
  kind: GrantKind;
  /** The key of its application. */
  key: string;
  user: GrantUser;
  /** The id of the session that the grant is bound to; null if it is bound to none. */
  sessionId: string | null;
  sessionExpiresAt: number | null;
  /** The id of the session for the application (`sid`). */
  sid: string;
  scopes: string[];
  resource: string | null;
  nonce: string | null;
  authenticatedAt: number;
  amr: string[];
  expiresAt: number;
}

/** Splits a list of scopes, which OAuth writes as one text with spaces. */
export const parseScopes = (text: string): string[] => text.split(' ').filter((scope) => scope !== '');

/**
 * Returns the authentication assurance level: `aal2` if the sign-in used two factors, otherwise `aal1`.
 *
 * @see NIST SP 800-63B
 */
export const acrOf = (amr: readonly string[]): 'aal1' | 'aal2' => (amr.includes('mfa') ? 'aal2' : 'aal1');
