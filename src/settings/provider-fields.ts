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
    help: 'The protocol of the provider: `oidc` is OpenID Connect with discovery, `oauth2` is OAuth 2.0 with an address that returns the account.',
    example: 'oidc',
  }),
  LABEL: optional({
    parse: parseName(40),
    defaultWords: 'NAME with a capital letter',
    help: 'Name of the provider on the pages: “Continue with …”.',
    example: 'Company login',
  }),
  LOGO: optional({
    parse: parseLogo,
    defaultWords: 'a branch for oauth2, a globe for oidc',
    help: 'Picture on the button: a file like that of BRAND_LOGO.',
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
    defaultWords: '`openid profile email` for oidc; none for oauth2, where the provider decides',
    help: 'Scope to ask for. For an oidc provider it must contain openid.',
    example: 'openid email',
  }),
  ISSUER: optional({
    parse: parseIssuer,
    defaultWords: 'none: required for oidc',
    help: 'Only oidc: the issuer, where discovery starts, exactly as the provider writes it (OpenID Connect Discovery 1.0 §4). http: only when not deployed.',
    example: 'https://sso.example.com/realms/main',
  }),
  AUTHORIZATION_URL: optional({
    parse: parseEndpoint,
    defaultWords: 'none: required for oauth2',
    help: 'Only oauth2: authorization endpoint (RFC 6749 §3.1).',
    example: 'https://git.example.com/login/oauth/authorize',
  }),
  TOKEN_URL: optional({
    parse: parseEndpoint,
    defaultWords: 'none: required for oauth2',
    help: 'Only oauth2: token endpoint (RFC 6749 §3.2).',
    example: 'https://git.example.com/login/oauth/access_token',
  }),
  USER_URL: optional({
    parse: parseEndpoint,
    defaultWords: 'none: required for oauth2',
    help: 'Only oauth2: address that returns the account of an access token as JSON.',
    example: 'https://git.example.com/api/v1/user',
  }),
  ID_FIELD: row({
    parse: parseText(64),
    default: 'id',
    help: 'Only oauth2: field of that JSON with the permanent id of the account.',
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
