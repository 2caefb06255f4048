import type { ApplicationRow } from '../db/schema.ts';
import { parseList } from '../users/user.ts';

/** A stored secret of an application, and until when it works; null: until it is replaced. */
export interface KeptSecret {
  hash: string;
  expiresAt: number | null;
}

/** The signatures of ID tokens that an application can choose from. */
export const idTokenAlgs = ['RS256', 'ES256'] as const;
export type IdTokenAlg = (typeof idTokenAlgs)[number];

/** An application that the operator registered. Users name it by its key in `allowedApps`. */
export interface Application {
  id: number;
  /** In lower case; never changes. */
  key: string;
  name: string;
  /** Its addresses. Only the origins are compared; people are sent to the first URL. */
  urls: string[];
  redirectUris: string[];
  postLogoutRedirectUris: string[];
  /** The roles that may use it; empty: any. */
  roles: string[];
  backchannelLogoutUri: string | null;
  icon: string | null;
  /** A public client, which has no secret. */
  isPublic: boolean;
  /** It belongs to a third party, so it sees no cookies, and no person without consent. */
  isThirdParty: boolean;
  /** People may sign in by its device flow (RFC 8628). */
  deviceFlow: boolean;
  idTokenAlg: IdTokenAlg;
  /** Whether each authorization request of it needs PKCE. */
  pkceRequired: boolean;
  /** The current secret, and the one before it while that works; none if it is public. */
  secrets: KeptSecret[];
  /** Grows with each change. */
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
