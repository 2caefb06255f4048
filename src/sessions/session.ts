import { parseList } from '../users/user.ts';

/** How the session was opened: `password`, `passkey`, `link`, or the name of a provider. */
export type SignInMethod = string;

/** An active session with its user's current data. `mayUseApp` returns whether the user may use an application. */
export interface Session {
  /** A UUID, not sealed. */
  id: string;
  /** Identifies the session in lists and logs without revealing its id. Stays the same when the id changes. */
  ref: string;
  createdAt: number;
  expiresAt: number;
  userId: number;
  username: string;
  fullName: string;
  role: string;
  allowedApps: string[];
  image: string;
}

export interface SessionRow {
  id: string;
  ref: string;
  created_at: number;
  expires_at: number;
  user_id: number;
  username: string;
  full_name: string;
  role: string;
  allowed_apps: string;
  image: string;
}

/** Converts a database row to a session. */
export const toSession = (row: SessionRow): Session => ({
  id: row.id,
  ref: row.ref,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  userId: row.user_id,
  username: row.username,
  fullName: row.full_name,
  role: row.role,
  allowedApps: parseList(row.allowed_apps),
  image: row.image,
});
