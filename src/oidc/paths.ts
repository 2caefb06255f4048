export const OIDC = '/authsvc/oidc';

/** Where applications and their people find what OpenID Connect needs. */
export const paths = {
  authorize: `${OIDC}/authorize`,
  device: `${OIDC}/device`,
  deviceAuthorization: `${OIDC}/device_authorization`,
  introspect: `${OIDC}/introspect`,
  jwks: `${OIDC}/jwks`,
  logout: `${OIDC}/logout`,
  par: `${OIDC}/par`,
  revoke: `${OIDC}/revoke`,
  token: `${OIDC}/token`,
  userinfo: `${OIDC}/userinfo`,
} as const;
