import type { Application } from './application.ts';

/** Converts an application to JSON with all its fields. */
export const toApplicationJson = (application: Application) => ({
  id: application.id,
  key: application.key,
  name: application.name,
  urls: application.urls,
  redirect_uris: application.redirectUris,
  post_logout_redirect_uris: application.postLogoutRedirectUris,
  roles: application.roles,
  backchannel_logout_uri: application.backchannelLogoutUri,
  icon: application.icon,
  is_public: application.isPublic,
  is_third_party: application.isThirdParty,
  device_flow: application.deviceFlow,
  id_token_alg: application.idTokenAlg,
  pkce_required: application.pkceRequired,
  is_active: application.disabledAt === null,
  created_at: new Date(application.createdAt).toISOString(),
});

/** Converts an application to the JSON of the command line. Leaves out OpenID Connect fields that have their default value. */
export function toCommandJson(application: Application) {
  const { device_flow, id_token_alg, pkce_required, ...usual } = toApplicationJson(application);
  return {
    ...usual,
    ...(device_flow ? { device_flow } : {}),
    ...(id_token_alg === 'RS256' ? {} : { id_token_alg }),
    ...(pkce_required ? {} : { pkce_required }),
  };
}
