import { DEVICE_GRANT } from './clients.ts';
import { allScopes } from './grant.ts';
import { paths } from './paths.ts';

const authMethods = ['client_secret_basic', 'client_secret_post'];

/**
 * Returns the discovery document. It lists only what this service supports.
 *
 * @see OpenID Connect Discovery 1.0 §3; RFC 8414 §2
 */
export const discoveryOf = (issuer: string) => ({
  issuer,
  authorization_endpoint: issuer + paths.authorize,
  token_endpoint: issuer + paths.token,
  userinfo_endpoint: issuer + paths.userinfo,
  jwks_uri: issuer + paths.jwks,
  introspection_endpoint: issuer + paths.introspect,
  revocation_endpoint: issuer + paths.revoke,
  pushed_authorization_request_endpoint: issuer + paths.par,
  device_authorization_endpoint: issuer + paths.deviceAuthorization,
  end_session_endpoint: issuer + paths.logout,
  scopes_supported: [...allScopes],
  claims_supported: [
    ...['sub', 'iss', 'aud', 'exp', 'iat', 'auth_time', 'acr', 'amr', 'nonce', 'sid'],
    ...['name', 'preferred_username', 'picture', 'updated_at', 'email', 'email_verified', 'roles', 'apps'],
  ],
  claim_types_supported: ['normal'],
  response_types_supported: ['code'],
  response_modes_supported: ['query', 'form_post'],
  grant_types_supported: ['authorization_code', 'client_credentials', 'refresh_token', DEVICE_GRANT],
  subject_types_supported: ['public'],
  acr_values_supported: ['aal1', 'aal2'],
  prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
  id_token_signing_alg_values_supported: ['RS256', 'ES256'],
  token_endpoint_auth_methods_supported: [...authMethods, 'none'],
  introspection_endpoint_auth_methods_supported: authMethods,
  revocation_endpoint_auth_methods_supported: [...authMethods, 'none'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
  backchannel_logout_supported: true,
  backchannel_logout_session_supported: true,
  claims_parameter_supported: false,
  request_parameter_supported: false,
  request_uri_parameter_supported: false,
});
