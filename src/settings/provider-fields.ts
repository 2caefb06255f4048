import { parseChoice, parseEndpoint, parseIssuer, parseSecret, parseText } from './parse.ts';
import { parseLogo, parseName } from './parse-brand.ts';
import { optional, row } from './row.ts';

/**
 * The rows for the settings of a provider in PROVIDERS. The key of each setting is `PROVIDER_NAME_` followed by the
 * field. The order is that of docs/settings.md.
 */
export const providerFields = {
  TYPE: optional({
    parse: parseChoice('oauth2', 'oidc'),
    defaultWords: 'none: required',
    help: 'Protocol of the provider: `oidc` for OpenID Connect with discovery, or `oauth2` for OAuth 2.0 with a URL that returns the account.',
    example: 'oidc',
  }),
  LABEL: optional({
    parse: parseName(40),
    defaultWords: 'the name, with its first letter in upper case and spaces for hyphens',
    help: 'Name of the provider on the pages, as in “Continue with NAME”.',
    example: 'Company login',
  }),
  LOGO: optional({
    parse: parseLogo,
    defaultWords: 'an icon of a branch for oauth2, of a globe for oidc',
    help: 'Path of the picture on the button of the provider. The same rules apply as for BRAND_LOGO.',
    example: '/etc/authsvc/company.svg',
  }),
  CLIENT_ID: optional({
    parse: parseText(),
    defaultWords: 'none: required',
    help: 'Client id registered at the provider.',
    example: 'authsvc',
  }),
  CLIENT_SECRET: optional({
    parse: parseSecret,
    defaultWords: 'none: required',
    secret: true,
    help: 'Client secret registered at the provider.',
    example: 'as shown at the provider',
  }),
  SCOPE: optional({
    parse: parseText(),
    defaultWords: '`openid profile email` for oidc; none for oauth2, so the provider chooses the scopes',
    help: 'Scopes to request, separated by spaces. For an oidc provider they must include openid.',
    example: 'openid email',
  }),
  ISSUER: optional({
    parse: parseIssuer,
    defaultWords: 'none: required for oidc',
    help: "Only for oidc: issuer URL, exactly as the provider writes it. The service reads the provider's metadata from it (OpenID Connect Discovery 1.0 §4). An http URL is allowed only if IS_DEPLOYED is false.",
    example: 'https://sso.example.com/realms/main',
  }),
  AUTHORIZATION_URL: optional({
    parse: parseEndpoint,
    defaultWords: 'none: required for oauth2',
    help: 'Only for oauth2: authorization endpoint (RFC 6749 §3.1).',
    example: 'https://git.example.com/login/oauth/authorize',
  }),
  TOKEN_URL: optional({
    parse: parseEndpoint,
    defaultWords: 'none: required for oauth2',
    help: 'Only for oauth2: token endpoint (RFC 6749 §3.2).',
    example: 'https://git.example.com/login/oauth/access_token',
  }),
  USER_URL: optional({
    parse: parseEndpoint,
    defaultWords: 'none: required for oauth2',
    help: 'Only for oauth2: URL that returns, as JSON, the account that an access token belongs to.',
    example: 'https://git.example.com/api/v1/user',
  }),
  ID_FIELD: row({
    parse: parseText(64),
    default: 'id',
    help: 'Only for oauth2: field of the JSON from USER_URL that holds the permanent id of the account.',
    example: 'id',
  }),
};

export type ProviderField = keyof typeof providerFields;

/** The fields that exist only for one type of provider. */
export const fieldsOfType = {
  oidc: ['ISSUER'],
  oauth2: ['AUTHORIZATION_URL', 'TOKEN_URL', 'USER_URL', 'ID_FIELD'],
} as const satisfies Record<string, readonly ProviderField[]>;

export type ProviderType = keyof typeof fieldsOfType;
