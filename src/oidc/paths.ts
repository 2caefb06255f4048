export const OIDC = '/authsvc/oidc';

/** The paths of the OpenID Connect endpoints and pages. */
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
