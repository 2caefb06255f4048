import type { ProviderSettings } from './identity-providers.ts';
import { parseRateLimits } from './limits.ts';
import {
  type Parse,
  parseBoolean,
  parseChoice,
  parseDatabaseUrl,
  parseDays,
  parseEndpoint,
  parseHeaderSecret,
  parseInteger,
  parseIssuer,
  parseOrigin,
  parseSecret,
  parseSecrets,
  parseSupportUrl,
  parseTarget,
  parseText,
  parseTrustProxy,
} from './parse.ts';
import { parseAccent, parseFolder, parseLogo, parseName } from './parse-brand.ts';
import { parseDomain } from './parse-domain.ts';
import { parseSender, parseSmtpUrl } from './parse-mail.ts';
import { parsePostgresUrl } from './parse-postgres-url.ts';
import { parseProxy } from './parse-proxy.ts';
import { parseRoles } from './parse-roles.ts';
import { parseRpId } from './parse-rp-id.ts';
import { parseTokenPrefixes } from './parse-token-prefixes.ts';
import { parseProviderNames } from './provider-names.ts';
import { optional, row } from './row.ts';

/** Browsers limit the lifetime of a cookie to 400 days (RFC 6265bis §5.5). */
const MAX_COOKIE_DAYS = 400;

/** Every setting of the service, in the order of docs/settings.md. */
export const settingsTable = {
  HOST: row({ parse: parseText(255), default: '127.0.0.1', help: 'Address to listen on.', example: '0.0.0.0' }),
  PORT: row({
    parse: parseInteger(0, 65535),
    default: '3000',
    help: 'Port to listen on. 0 picks a free one and the log says which.',
    example: '8080',
  }),
  WORKERS: row({
    parse: parseInteger(1, 256),
    default: '1',
    help: 'Number of processes that share the port; more than one per processor does not help. A process that dies is replaced. Each has DATABASE_POOL_MAX connections.',
    example: '4',
  }),
  DRAIN_SECONDS: row({
    parse: parseInteger(0, 3600),
    default: '0',
    help: 'How long the service keeps serving after a request to stop, while /readyz says 503 and each reply closes its connection. Set it to the time that your load balancer needs to notice: its interval times the number of failed checks. By default, Docker and others kill a process ten seconds after they ask it to stop.',
    example: '10',
  }),
  METRICS_PORT: optional({
    parse: parseInteger(0, 65535),
    help: 'Port of /metrics for Prometheus: see monitoring.md. None: there are no metrics. 0 picks a free one and the log says which. Another one than PORT.',
    example: '9464',
  }),
  METRICS_HOST: row({
    parse: parseText(255),
    default: '127.0.0.1',
    help: 'Address at which METRICS_PORT listens. It asks for no password: let only your Prometheus reach it.',
    example: '10.0.0.5',
  }),
  BASE_URL: optional({
    parse: parseOrigin,
    defaultWords: 'http://localhost:PORT',
    help: 'Public address of the service, used in verification_url and in provider callbacks. Required, with https, if IS_DEPLOYED is true.',
    example: 'https://auth.example.com',
  }),
  APP_NAME: row({
    parse: parseText(64),
    default: 'authsvc',
    help: 'Only users who may use this application can sign in here; case is ignored. Superadmins always may. Also the name on the pages, unless BRAND_NAME is set. If you change it, add the new name to the applications of the users.',
    example: 'portal',
  }),
  LANGUAGE: row({
    parse: parseChoice('auto', 'en', 'de'),
    default: 'auto',
    help: 'Language of the pages. auto: the language of the browser (Accept-Language), else English.',
    example: 'de',
  }),
  BRAND_NAME: optional({
    parse: parseName(64),
    defaultWords: 'APP_NAME',
    help: 'Name of the application on the pages and in authenticator apps. Who may sign in depends only on APP_NAME.',
    example: 'Harbour Portal',
  }),
  BRAND_ACCENT: optional({
    parse: parseAccent,
    defaultWords: 'the green of the service',
    help: 'Accent colour of the pages, as a CSS colour. Where it would be unreadable, in light or dark, the nearest readable tone is used (WCAG 2.2 AA). A colour that is almost white (a contrast of less than 1.5, such as a light yellow) is refused. If it is close to the red of errors, the focus ring and success messages do not use it.',
    example: '#0057b8',
  }),
  BRAND_LOGO: optional({
    parse: parseLogo,
    defaultWords: 'the mark of the service',
    help: 'Picture beside the name of the application, and icon of the pages: an SVG, PNG or WebP file of at most 256 KiB. Dark pages put it on a light plate unless BRAND_LOGO_DARK is set. Scripts in an SVG do not run.',
    example: '/etc/authsvc/logo.svg',
  }),
  BRAND_LOGO_DARK: optional({
    parse: parseLogo,
    defaultWords: 'BRAND_LOGO on a light plate',
    help: 'The picture of BRAND_LOGO for dark pages, such as one in light colours. It must show the name if BRAND_LOGO does.',
    example: '/etc/authsvc/logo-dark.svg',
  }),
  BRAND_LOGO_HAS_NAME: row({
    parse: parseBoolean,
    default: 'false',
    help: 'true: the picture of BRAND_LOGO contains the name, so the pages do not write the name beside it.',
    example: 'true',
  }),
  SUPPORT_URL: optional({
    parse: parseSupportUrl,
    help: 'Where pages send people who need help: a web page or a mailto address. Every page then has a link to it.',
    example: 'https://help.example.com/sign-in',
  }),
  TEMPLATES_FOLDER: optional({
    parse: parseFolder,
    help: 'Folder of templates that replace those of the same name: see templates.md. The service does not start with a broken template.',
    example: '/etc/authsvc/templates',
  }),
  DOMAIN: optional({
    parse: parseDomain,
    help: 'Root domain. With IS_DEPLOYED=true session cookies carry Domain=.DOMAIN, so that sibling applications see them.',
    example: 'example.com',
  }),
  IS_DEPLOYED: row({
    parse: parseBoolean,
    default: 'false',
    help: 'Production: Secure cookies and HSTS. Requires SESSION_SECRET_KEY and an https BASE_URL; refuses http addresses, env=dev and RATE_LIMITS=off.',
    example: 'true',
  }),
  SESSION_SECRET_KEY: optional({
    parse: parseSecrets,
    defaultWords: 'generated and stored beside the database (mode 0600) when not deployed',
    secret: true,
    help: 'At least 32 random characters, or several secrets separated by commas: the first one seals, all of them open. So you can replace a secret without signing anyone out (docs/production.md).',
    example: 'the output of: openssl rand -base64 48',
  }),
  MAIN_SECRET_TOKEN: optional({
    parse: parseHeaderSecret,
    secret: true,
    help: 'Secret for POST /authsvc/api/terminateAllSessions. Unset: that route answers 401 to everyone. At least 16 random characters when IS_DEPLOYED is true.',
    example: 'the output of: openssl rand -hex 32',
  }),
  DATABASE_URL: row({
    parse: parseDatabaseUrl,
    default: 'sqlite:./data/authsvc.sqlite',
    secret: true,
    help: 'Where the data is stored: an SQLite file, or a PostgreSQL database (12 or newer). List several hosts, separated by commas, if one of them takes writes and the others follow it; the service follows a failover. TLS and sockets: see production.md.',
    example: 'postgres://authsvc:PASSWORD@db.internal:5432/authsvc',
  }),
  DATABASE_POOL_MAX: row({
    parse: parseInteger(1, 1000),
    default: '10',
    help: 'PostgreSQL connections of one process. One more connection receives changes.',
    example: '20',
  }),
  DATABASE_LISTEN_URL: optional({
    parse: parsePostgresUrl,
    defaultWords: 'as DATABASE_URL',
    secret: true,
    help: 'Direct address of the same PostgreSQL database, for the one connection per process that receives changes. Needed if DATABASE_URL goes through a pooler (PgBouncer). Without a direct connection nothing is cached in memory.',
    example: 'postgres://authsvc:PASSWORD@db.internal:5432/authsvc',
  }),
  LOGIN_REDIRECT_URL: row({
    parse: parseTarget,
    default: '/authsvc/',
    help: 'Where a sign-in without a redirect goes, and the start page that error, device and session pages link to. It cannot be a sign-in page.',
    example: '/dashboard',
  }),
  COOKIE_EXPIRE_TIME: row({
    parse: parseDays(MAX_COOKIE_DAYS),
    default: '2',
    help: 'Lifetime of a session in days, fractions allowed, at most 400.',
    example: '0.5',
  }),
  MAX_SESSIONS_PER_USER: row({
    parse: parseInteger(1, 10_000),
    default: '5',
    help: 'Maximum number of sessions per user. A sign-in beyond it ends the oldest session.',
    example: '10',
  }),
  MAX_REMEMBERED_ACCOUNTS: row({
    parse: parseInteger(1, 20),
    default: '5',
    help: 'Maximum number of accounts that a browser remembers.',
    example: '3',
  }),
  AUTHSVC_TWO_FA_ENABLE: row({
    parse: parseBoolean,
    default: 'false',
    help: 'Ask users who have a second factor for it.',
    example: 'true',
  }),
  SECOND_FACTOR: row({
    parse: parseChoice('optional', 'superadmin', 'everyone'),
    default: 'optional',
    help: 'Who must have a second factor: superadmins, or everyone. Those who have none set one up when they sign in next. Needs AUTHSVC_TWO_FA_ENABLE. A passkey is enough.',
    example: 'superadmin',
  }),
  DEVICE_TRUST_DURATION_DAYS: row({
    parse: parseDays(MAX_COOKIE_DAYS, { allowZero: true }),
    default: '7',
    help: 'How long "trust this device" skips the second step, in days; 0 turns it off.',
    example: '30',
  }),
  PASSKEYS: row({
    parse: parseChoice('on', 'off'),
    default: 'on',
    help: 'on: users can sign in by passkeys. off: the routes of passkeys do not exist, no page mentions them, and the passkeys are kept. Passkeys are off too where the host of BASE_URL is an IP address.',
    example: 'off',
  }),
  PASSKEY_RP_ID: optional({
    parse: parseRpId,
    defaultWords: 'DOMAIN when IS_DEPLOYED is true and it is set, else the host of BASE_URL',
    help: 'The host name that browsers bind passkeys to: the host of BASE_URL or a parent domain of it. The service does not start if the passkeys in the database have a different one, because none of them would work.',
    example: 'example.com',
  }),
  PROFILE_EDIT: row({
    parse: parseChoice('on', 'off'),
    default: 'on',
    help: 'Whether users may change their full name and picture.',
    example: 'off',
  }),
  LOGIN_UNKNOWN_USER_STATUS: row({
    parse: parseChoice('404', '401'),
    default: '404',
    deployedDefault: '401',
    defaultWords: '`404`; `401` when IS_DEPLOYED is true',
    help: 'Status for a username that does not exist: 404, or 401 so that the reply does not reveal whether it exists. Both take the same time.',
    example: '401',
  }),
  MAX_TOKENS_PER_USER: row({
    parse: parseInteger(1, 1_000_000),
    default: '10',
    help: 'Maximum number of API tokens per user. Superadmins have no limit.',
    example: '25',
  }),
  TRUST_PROXY: row({
    parse: parseTrustProxy,
    default: 'false',
    help: 'Proxies whose X-Forwarded-For, -Proto and -Host are trusted: true (all), false (none), or a list of addresses, CIDR ranges and the names loopback, linklocal, uniquelocal.',
    example: 'loopback,10.0.0.0/8',
  }),
  RATE_LIMITS: row({
    parse: parseRateLimits,
    default: 'on',
    help: 'Limits on the requests of a client: on, or a list that changes some limits, by their names in routes.md. off is allowed only with env=dev.',
    example: 'login=20/60s,login-page=60/60s',
  }),
  ROLES: row({
    parse: parseRoles,
    default: 'normaluser,superadmin',
    help: 'Roles that a user can have, separated by commas. normaluser and superadmin always exist, and only superadmin has rights in authsvc. The others are for applications, which see the role of the signed-in user.',
    example: 'editor,auditor',
  }),
  LEGACY_TOKEN_PREFIXES: row({
    parse: parseTokenPrefixes,
    default: '',
    defaultWords: 'none',
    help: 'Prefixes of API tokens of a former service, separated by commas, such as tokens from `authsvc import`: each 2 to 16 of a-z, 0-9 and _, ending in _. authsvc then also accepts PREFIX and 64 hexadecimal digits as a token. New tokens begin with tok_.',
    example: 'mbk_',
  }),
  CODEHOST_LOGIN_ENABLED: row({
    parse: parseBoolean,
    default: 'false',
    help: 'Sign-in through the OAuth 2.0 code host.',
    example: 'true',
  }),
  CODEHOST_LABEL: row({
    parse: parseName(40),
    default: 'Codehost',
    help: 'Name of the code host on the pages: “Continue with …”.',
    example: 'GitLab',
  }),
  CODEHOST_LOGO: optional({
    parse: parseLogo,
    defaultWords: 'a branch, as of a source tree',
    help: 'Picture on the button of the code host: a file like that of BRAND_LOGO.',
    example: '/etc/authsvc/gitlab.svg',
  }),
  CODEHOST_APP_CLIENT_ID: optional({
    parse: parseText(),
    help: 'Client id registered at the code host.',
    example: 'Iv1.0123456789abcdef',
  }),
  CODEHOST_APP_CLIENT_SECRET: optional({
    parse: parseSecret,
    secret: true,
    help: 'Client secret registered at the code host.',
    example: 'as shown at the code host',
  }),
  CODEHOST_AUTHORIZATION_URL: row({
    parse: parseEndpoint,
    default: 'https://github.com/login/oauth/authorize',
    help: 'Authorization endpoint (RFC 6749 §3.1).',
    example: 'https://git.example.com/login/oauth/authorize',
  }),
  CODEHOST_TOKEN_URL: row({
    parse: parseEndpoint,
    default: 'https://github.com/login/oauth/access_token',
    help: 'Token endpoint (RFC 6749 §3.2).',
    example: 'https://git.example.com/login/oauth/access_token',
  }),
  CODEHOST_USER_URL: row({
    parse: parseEndpoint,
    default: 'https://api.github.com/user',
    help: 'Address that returns the account of an access token.',
    example: 'https://git.example.com/api/v1/user',
  }),
  CODEHOST_ID_FIELD: row({
    parse: parseText(64),
    default: 'id',
    help: 'Field of that answer with the permanent id of the account.',
    example: 'id',
  }),
  CODEHOST_SCOPE: row({ parse: parseText(), default: 'read:user', help: 'Scope to ask for.', example: 'read_user' }),
  WEBSSO_LOGIN_ENABLED: row({
    parse: parseBoolean,
    default: 'false',
    help: 'Sign-in through the OpenID Connect provider.',
    example: 'true',
  }),
  WEBSSO_LABEL: row({
    parse: parseName(40),
    default: 'Web SSO',
    help: 'Name of the identity provider on the pages: “Continue with …”.',
    example: 'Google',
  }),
  WEBSSO_LOGO: optional({
    parse: parseLogo,
    defaultWords: 'a globe',
    help: 'Picture on the button of the identity provider: a file like that of BRAND_LOGO.',
    example: '/etc/authsvc/google.svg',
  }),
  WEBSSO_CLIENT_ID: optional({
    parse: parseText(),
    help: 'Client id registered at the provider.',
    example: '1234.apps.example.com',
  }),
  WEBSSO_CLIENT_SECRET: optional({
    parse: parseSecret,
    secret: true,
    help: 'Client secret registered at the provider.',
    example: 'as shown at the provider',
  }),
  WEBSSO_ISSUER: row({
    parse: parseIssuer,
    default: 'https://accounts.google.com',
    help: 'Issuer, where discovery starts (OpenID Connect Discovery 1.0 §4). http: only when not deployed.',
    example: 'https://sso.example.com/realms/main',
  }),
  WEBSSO_SCOPE: row({
    parse: parseText(),
    default: 'openid profile email',
    help: 'Scope to ask for. It must contain openid.',
    example: 'openid',
  }),
  PROVIDERS: optional({
    parse: parseProviderNames,
    help: 'Names of further providers, separated by commas: each 2 to 32 of a-z, 0-9 and -. A name is part of addresses (`/authsvc/api/NAME/login`) and of links, so do not change it later.',
    example: 'forge,corp',
  }),
  HTTPS_PROXY: optional({
    parse: parseProxy,
    defaultWords: 'HTTP_PROXY, else none',
    secret: true,
    help: 'Proxy for outgoing requests to https addresses: those of providers, the update check, and `authsvc login`, `whoami` and `logout`. The name in lower case works too, and takes precedence. TLS goes through the proxy, so the proxy sees only host names.',
    example: 'http://proxy.example.com:3128',
  }),
  HTTP_PROXY: optional({
    parse: parseProxy,
    secret: true,
    help: 'The same for http addresses, for which the proxy must also support CONNECT.',
    example: 'http://proxy.example.com:3128',
  }),
  NO_PROXY: optional({
    parse: parseText(),
    help: 'Hosts to reach without a proxy, separated by commas: names (including their subdomains) or addresses, each with an optional port, or `*` for all. Address ranges are not supported.',
    example: 'localhost,127.0.0.1,git.example.com',
  }),
  AUDIT_RETENTION_DAYS: row({
    parse: parseInteger(0, 36_500),
    default: '365',
    help: 'How many days the audit log keeps an event. Older events are deleted at the start and every hour. 0 keeps all.',
    example: '90',
  }),
  SMTP_URL: optional({
    parse: parseSmtpUrl,
    secret: true,
    help: 'The mail server: `smtp://` (with STARTTLS if the server offers it) or `smtps://`, with user and password if needed. Without it authsvc sends no mail, and no page mentions mail. Needs MAIL_FROM.',
    example: 'smtp://authsvc:PASSWORD@mail.example.com:587',
  }),
  MAIL_FROM: optional({
    parse: parseSender,
    help: 'The sender of mails. Needs SMTP_URL.',
    example: 'Accounts <accounts@example.com>',
  }),
  WEBHOOK_PRIVATE_NETWORKS: row({
    parse: parseChoice('on', 'off'),
    default: 'off',
    help: 'Whether webhooks may go to loopback, private, link-local and reserved addresses: see webhooks.md. off: an operator or superadmin who adds a webhook cannot reach the services of your own network.',
    example: 'on',
  }),
  UPDATE_CHECK: row({
    parse: parseChoice('on', 'off'),
    default: 'on',
    help: 'on: the service looks up the newest version in the package registry that npm uses, a second after the start and, when someone opens the service information, at most every six hours. off: nothing is fetched, and the latest version is null.',
    example: 'off',
  }),
  LOG_LEVEL: row({
    parse: parseChoice('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    default: 'info',
    help: 'How much is logged.',
    example: 'warn',
  }),
  env: optional({ parse: parseText(32), help: 'dev turns the diagnostics on.', example: 'dev' }),
  dbLogs: row({
    parse: parseBoolean,
    default: 'false',
    help: 'true allows POST /authsvc/db/reset, the button of the query monitor.',
    example: 'true',
  }),
};

export type SettingKey = keyof typeof settingsTable;
type Value<R> = R extends { parse: Parse<infer T> } ? (R extends { optional: true } ? T | undefined : T) : never;

/** The values of the settings in the table, each under the key that the operator uses. */
export type TableSettings = { readonly [K in SettingKey]: Value<(typeof settingsTable)[K]> };

/** All settings of a process. */
export type Settings = TableSettings & {
  /** Every provider of social sign-in, both built-in providers and those in PROVIDERS, enabled or not. */
  readonly identityProviders: readonly ProviderSettings[];
};
