import type { Generated } from 'kysely';

/** Applications that the operator registered. Lists are JSON text; yes is 1, no is 0. */
export interface ApplicationsTable {
  id: Generated<number>;
  /** In lower case; never changes. */
  key: string;
  name: string;
  urls: string;
  redirect_uris: string;
  post_logout_redirect_uris: string;
  /** Those that may use it; empty: any. */
  roles: string;
  backchannel_logout_uri: string | null;
  icon: string | null;
  is_public: number;
  is_third_party: number;
  device_flow: Generated<number>;
  id_token_alg: Generated<string>;
  pkce_required: Generated<number>;
  /** SHA-256 of the secret, hexadecimal; null: a public application. */
  secret_hash: string | null;
  /** The secret before it, and until when it works. */
  old_secret_hash: string | null;
  old_secret_expires_at: number | null;
  /** Grows with each change. */
  version: number;
  created_at: number;
  disabled_at: number | null;
}

/** Keys that sign for OpenID Connect. */
export interface OidcKeysTable {
  /** The `kid`. */
  id: string;
  /** RS256 or ES256. */
  alg: string;
  /** JSON Web Keys; the private one is sealed by the data key that `key_id` names. */
  public_jwk: string;
  sealed_jwk: string;
  key_id: string;
  created_at: number;
  /** When it leaves the published set; null: it signs. */
  retires_at: number | null;
}

/** What people gave applications by OpenID Connect. */
export interface OidcGrantsTable {
  /** UUID version 4. */
  id: string;
  /** session, offline, device; or consent, which only remembers what was agreed to. */
  kind: string;
  user_id: number;
  application_id: number;
  /** The session that a session grant ends with; null in one: the session has ended. */
  session_id: string | null;
  /** Names the session at the application. */
  sid: string;
  /** Separated by blanks, as OAuth has them. */
  scopes: string;
  resource: string | null;
  nonce: string | null;
  /** When and by what the user had signed in. */
  authenticated_at: number;
  amr: string;
  created_at: number;
  /** Null: no token was fetched yet. */
  last_used_at: number | null;
  expires_at: number;
}

/** Codes and tokens of OpenID Connect. */
export interface OidcTokensTable {
  /** SHA-256, hexadecimal. */
  token_hash: string;
  /** code, access, refresh, or client: an access token of an application itself. */
  kind: string;
  grant_id: string | null;
  application_id: number;
  scopes: string;
  audience: string | null;
  /** Of a code. */
  redirect_uri: string | null;
  code_challenge: string | null;
  /** When the first of a chain of refresh tokens was made. */
  started_at: number;
  created_at: number;
  expires_at: number;
  consumed_at: number | null;
}

/** Authorization requests that were pushed, or that wait for a person. */
export interface OidcRequestsTable {
  id_hash: string;
  /** pushed or waiting. */
  kind: string;
  /** JSON. */
  payload: string;
  created_at: number;
  expires_at: number;
  consumed_at: number | null;
}

/** Requests of the device flow. */
export interface OidcDeviceCodesTable {
  device_code_hash: string;
  user_code_hash: string;
  application_id: number;
  grant_id: string | null;
  /** pending, approved, denied, completed. */
  status: string;
  scopes: string;
  resource: string | null;
  /** Client address that asked. */
  address: string;
  interval_ms: number;
  polled_at: number | null;
  created_at: number;
  expires_at: number;
}
