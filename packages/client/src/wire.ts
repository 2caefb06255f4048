// The replies of authsvc's routes. Only the fields that the client reads are listed.

/** Reply of POST /api/cli/device. */
export interface StartedReply {
  verification_url: string;
  user_code: string;
  device_code: string;
  /** Seconds until the request expires. */
  expires_in: number;
  /** Seconds between two polls. */
  interval: number;
  client_name: string;
  profile: ProfileReply;
}

export interface ProfileReply {
  name: string;
}

/** Reply of POST /api/cli/device/token. `status` is a PollStatus, or a value of a later version. */
export interface PollReply {
  status: string;
  /** Seconds between two polls; only while the status is `pending`. */
  interval?: number;
  token?: string;
  token_prefix?: string;
  username?: string;
}

export type PollStatus = 'approved' | 'pending' | 'denied' | 'expired' | 'completed';

/** Reply of POST /api/tokens/verify. If the token is not valid, the fields below `tokenValid` are absent. */
export interface TokenReply {
  tokenValid: boolean;
  username?: string;
  permissions?: PermissionsReply;
  /** ISO 8601, UTC; null if the token does not expire. */
  expiresAt?: string | null;
}

export interface PermissionsReply {
  scope: string;
  allowed_apps: string[];
}

/** Reply of POST /authsvc/api/verifySession. `username` and `role` are absent if the session is not valid. */
export interface SessionReply {
  valid: boolean;
  /** ISO 8601, UTC. */
  expiry: string | null;
  username?: string;
  role?: string;
}

/** The fields of every error reply. */
export interface ErrorReply {
  message: string;
  code: string;
  hint: string;
}
