import type { Generated } from 'kysely';

/** Instants (`…_at`) are milliseconds since the epoch, UTC. Lists are JSON text. */
export interface UsersTable {
  id: Generated<number>;
  /** As written. */
  username: string;
  /** What makes it unique: see users/username.ts. */
  username_key: string;
  full_name: string;
  role: string;
  allowed_apps: string;
  image: string;
  password_hash: string;
  created_at: number;
  /** The moment from which the user may not sign in; null: active. */
  deactivated_at: number | null;
  last_login_at: number | null;
}

export interface SessionsTable {
  /** UUID version 4. */
  id: string;
  user_id: number;
  /** How the user signed in: password, codehost, websso. */
  method: string;
  /** Client address and program at sign-in, for the list that an operator reads. */
  address: string;
  user_agent: string;
  created_at: number;
  expires_at: number;
}

export interface Schema {
  users: UsersTable;
  sessions: SessionsTable;
}
