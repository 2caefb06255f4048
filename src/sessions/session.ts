import { parseList } from '../users/user.ts';

/** How a session was opened: `password`, `passkey`, `link`, or the name of a provider. */
export type SignInMethod = string;

/** An active session with its user's current data. `mayUseApp` tells which applications the user may use. */
export interface Session {
  /** UUID, not sealed. */
  id: string;
  /** Names it without giving the id away; stays when the id changes. */
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

/** The session of a row. */
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
