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
  /** Sealed; null: no second factor. */
  totp_secret: string | null;
  /** The moment of this enrolment; trusted devices are bound to it. */
  totp_enabled_at: number | null;
  /** The last time step whose code was accepted; no earlier one counts again. */
  totp_last_step: Generated<number>;
  /** Guesses since the last right code, and until when there may be no other. */
  totp_guesses: Generated<number>;
  totp_blocked_until: Generated<number>;
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
  /** The browser that remembers the session in its list of accounts; empty: none. */
  device: Generated<string>;
}

/** Sign-ins that wait for their second step. */
export interface SecondStepsTable {
  /** UUID version 4. */
  id: string;
  user_id: number;
  method: string;
  redirect: string;
  attempts_left: number;
  expires_at: number;
}

export interface TrustedDevicesTable {
  /** SHA-256 of the token in the browser, hex. */
  token_hash: string;
  user_id: number;
  totp_enabled_at: number;
  user_agent: string;
  created_at: number;
  expires_at: number;
}

export interface RecoveryCodesTable {
  /** HMAC of the code, hex; the row goes when the code is used. */
  code_hash: string;
  user_id: number;
}

/** PostgreSQL only; rate-limiter-flexible counts in it. */
export interface RateLimitsTable {
  key: string;
  points: number;
  /** Milliseconds since the epoch. */
  expire: number | null;
}

/** Accounts at providers, each of one user, who has at most one at a provider. */
export interface ProviderLinksTable {
  provider: string;
  /** As the provider told it; a number in decimal digits. */
  account_id: string;
  user_id: number;
  created_at: number;
}

export interface Schema {
  rate_limits: RateLimitsTable;
  users: UsersTable;
  sessions: SessionsTable;
  second_steps: SecondStepsTable;
  trusted_devices: TrustedDevicesTable;
  recovery_codes: RecoveryCodesTable;
  provider_links: ProviderLinksTable;
}
