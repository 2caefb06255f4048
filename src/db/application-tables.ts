import type { Generated } from 'kysely';

/** Applications that the operator registered. Lists are JSON texts; 1 is yes, 0 is no. */
export interface ApplicationsTable {
  id: Generated<number>;
  /** In lower case. The key never changes. */
  key: string;
  name: string;
  urls: string;
  redirect_uris: string;
  post_logout_redirect_uris: string;
  /** The roles that may use the application; empty: all roles. */
  roles: string;
  backchannel_logout_uri: string | null;
  icon: string | null;
  is_public: number;
  is_third_party: number;
  device_flow: Generated<number>;
  id_token_alg: Generated<string>;
  pkce_required: Generated<number>;
  /** SHA-256 of the secret, hexadecimal; null for a public application. */
  secret_hash: string | null;
  /** SHA-256 of the previous secret, and the time until which it is valid. */
  old_secret_hash: string | null;
  old_secret_expires_at: number | null;
  /** Grows by one with each change. */
  version: number;
  created_at: number;
  disabled_at: number | null;
}

/** Keys that sign ID tokens for OpenID Connect. */
export interface OidcKeysTable {
  /** The key's `kid`. */
  id: string;
  /** RS256 or ES256. */
  alg: string;
  /** JSON Web Keys. The private key is sealed by the data key `key_id`. */
  public_jwk: string;
  sealed_jwk: string;
  key_id: string;
  created_at: number;
  /** When the key is removed from the published set. Null while the key signs new tokens. */
  retires_at: number | null;
}

/** Permissions that users have granted to applications by OpenID Connect. */
export interface OidcGrantsTable {
  /** UUID version 4. */
  id: string;
  /** session, offline, device or consent. A consent grant has no tokens; it only remembers what the user agreed to. */
  kind: string;
  user_id: number;
  application_id: number;
  /** The session with which a session grant ends. Null in a session grant: that session has ended. */
  session_id: string | null;
  /** The id of the session for the application (`sid`). */
  sid: string;
  /** The granted scopes, separated by spaces as in OAuth. */
  scopes: string;
  resource: string | null;
  nonce: string | null;
  /** When the user signed in, and with what methods. */
  authenticated_at: number;
  amr: string;
  created_at: number;
  /** Null until a token is issued. */
  last_used_at: number | null;
  expires_at: number;
}

/** Authorization codes and tokens of OpenID Connect. */
export interface OidcTokensTable {
  /** SHA-256, hexadecimal. */
  token_hash: string;
  /** code, access, refresh or client. A client token is an access token that an application gets for itself. */
  kind: string;
  grant_id: string | null;
  application_id: number;
  scopes: string;
  audience: string | null;
  /** The redirect URI and the PKCE challenge of an authorization code; null for tokens. */
  redirect_uri: string | null;
  code_challenge: string | null;
  /** For a refresh token: when the first token of its chain was issued. */
  started_at: number;
  created_at: number;
  expires_at: number;
  consumed_at: number | null;
}

/** Authorization requests that an application pushed, or that wait for a person to decide. */
export interface OidcRequestsTable {
  id_hash: string;
  /** pushed or waiting. */
  kind: string;
  /** The request as JSON. */
  payload: string;
  created_at: number;
  expires_at: number;
  consumed_at: number | null;
}

/** Requests of the device flow (RFC 8628). */
export interface OidcDeviceCodesTable {
  device_code_hash: string;
  user_code_hash: string;
  application_id: number;
  grant_id: string | null;
  /** pending, approved, denied or completed. */
  status: string;
  scopes: string;
  resource: string | null;
  /** Client address that made the request. */
  address: string;
  interval_ms: number;
  polled_at: number | null;
  created_at: number;
  expires_at: number;
}
