import type { ApplicationRow } from '../db/schema.ts';
import { parseList } from '../users/user.ts';

/** A stored secret of an application. It is valid until `expiresAt`; null: until another secret replaces it. */
export interface KeptSecret {
  hash: string;
  expiresAt: number | null;
}

/** The signature algorithms of ID tokens from which an application can choose. */
export const idTokenAlgs = ['RS256', 'ES256'] as const;
export type IdTokenAlg = (typeof idTokenAlgs)[number];

/** An application that the operator registered. The users' `allowedApps` contain its key. */
export interface Application {
  id: number;
  /** In lower case. The key never changes. */
  key: string;
  name: string;
  /** The application's addresses. Only their origins are compared. Links to the application use the first URL. */
  urls: string[];
  redirectUris: string[];
  postLogoutRedirectUris: string[];
  /** The roles that may use the application; empty: all roles. */
  roles: string[];
  backchannelLogoutUri: string | null;
  icon: string | null;
  /** Whether it is a public client, which has no secret. */
  isPublic: boolean;
  /** Whether a third party runs it. Then it never sees our cookies, and people must consent before they sign in to it. */
  isThirdParty: boolean;
  /** Whether people may sign in to it by the device flow (RFC 8628). */
  deviceFlow: boolean;
  idTokenAlg: IdTokenAlg;
  /** Whether its authorization requests must use PKCE. */
  pkceRequired: boolean;
  /** The current secret, and the previous one while it is still valid. Empty if the application is public. */
  secrets: KeptSecret[];
  /** Grows by one with each change. */
  version: number;
  createdAt: number;
  disabledAt: number | null;
}

const secretsOf = ({ secret_hash: hash, old_secret_hash: old, old_secret_expires_at: expiresAt }: ApplicationRow) => [
  ...(hash === null ? [] : [{ hash, expiresAt: null }]),
  ...(old === null ? [] : [{ hash: old, expiresAt }]),
];

export const toApplication = (row: ApplicationRow): Application => ({
  id: row.id,
  key: row.key,
  name: row.name,
  urls: parseList(row.urls),
  redirectUris: parseList(row.redirect_uris),
  postLogoutRedirectUris: parseList(row.post_logout_redirect_uris),
  roles: parseList(row.roles),
  backchannelLogoutUri: row.backchannel_logout_uri,
  icon: row.icon,
  isPublic: row.is_public === 1,
  isThirdParty: row.is_third_party === 1,
  deviceFlow: row.device_flow === 1,
  idTokenAlg: row.id_token_alg === 'ES256' ? 'ES256' : 'RS256',
  pkceRequired: row.pkce_required === 1,
  secrets: secretsOf(row),
  version: row.version,
  createdAt: row.created_at,
  disabledAt: row.disabled_at,
});
