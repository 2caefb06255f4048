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
    help: 'Port to listen on. With 0, the service picks a free port and logs its number.',
    example: '8080',
  }),
  WORKERS: row({
    parse: parseInteger(1, 256),
    default: '1',
    help: 'Number of processes that share the port. More than one process per processor core does not help. A process that dies is replaced. With PostgreSQL, each process opens up to DATABASE_POOL_MAX connections, and one more for the change feed.',
    example: '4',
  }),
  DRAIN_SECONDS: row({
    parse: parseInteger(0, 3600),
    default: '0',
    help: 'How many seconds the service keeps serving requests after a stop signal. During this time /readyz answers 503 and each reply closes its connection. Set it to the time that your load balancer needs to take the process out of rotation: its check interval times the number of failed checks. By default, Docker kills a process ten seconds after the stop signal.',
    example: '10',
  }),
  METRICS_PORT: optional({
    parse: parseInteger(0, 65535),
    help: 'Port that serves /metrics to Prometheus: see monitoring.md. It must differ from PORT. Without it there are no metrics. With 0, the service picks a free port and logs its number.',
    example: '9464',
  }),
  METRICS_HOST: row({
    parse: parseText(255),
    default: '127.0.0.1',
    help: 'Address to listen on for /metrics. Reading the metrics needs no password, so let only your Prometheus reach this address.',
    example: '10.0.0.5',
  }),
  BASE_URL: optional({
    parse: parseOrigin,
    defaultWords: 'http://localhost:PORT',
    help: 'Public URL of the service. Links, verification_url and provider callbacks begin with it. If IS_DEPLOYED is true, it is required and must be https.',
    example: 'https://auth.example.com',
  }),
  APP_NAME: row({
    parse: parseText(64),
    default: 'authsvc',
    help: "Name of the application that this service signs people in to. A user can sign in only if the user's list of applications contains this name (case is ignored) or the user is a superadmin. The pages show this name unless BRAND_NAME is set. If you change it, add the new name to the applications of your users.",
    example: 'portal',
  }),
  LANGUAGE: row({
    parse: parseChoice('auto', 'en', 'de'),
    default: 'auto',
    help: 'Language of the pages. auto: the language that the browser prefers (Accept-Language) if the service has it, else English.',
    example: 'de',
  }),
  BRAND_NAME: optional({
    parse: parseName(64),
    defaultWords: 'APP_NAME',
    help: 'Name that the pages and authenticator apps show. It does not affect who may sign in: that depends on APP_NAME.',
    example: 'Harbour Portal',
  }),
  BRAND_ACCENT: optional({
    parse: parseAccent,
    defaultWords: "authsvc's own green",
    help: 'Accent colour of the pages, as a CSS colour. Where the colour would be unreadable on a light or dark page, the page uses the nearest readable tone (WCAG 2.2 AA). The service does not start with a colour that is almost white, such as a light yellow (its contrast to white is less than 1.5). If the colour is close to the red of error messages, the focus ring and success messages use another colour.',
    example: '#0057b8',
  }),
  BRAND_LOGO: optional({
    parse: parseLogo,
    defaultWords: "authsvc's own logo",
    help: 'Path of an SVG, PNG or WebP file of at most 256 KiB. The pages show it beside the application name and as their icon. Dark pages show it on a light background unless BRAND_LOGO_DARK is set. Scripts in an SVG do not run.',
    example: '/etc/authsvc/logo.svg',
  }),
  BRAND_LOGO_DARK: optional({
    parse: parseLogo,
    defaultWords: 'BRAND_LOGO on a light background',
    help: 'Path of the logo for dark pages, for example a version in light colours. If the picture of BRAND_LOGO contains the application name, this picture must contain it too.',
    example: '/etc/authsvc/logo-dark.svg',
  }),
  BRAND_LOGO_HAS_NAME: row({
    parse: parseBoolean,
    default: 'false',
    help: 'true: the picture of BRAND_LOGO already contains the application name, so the pages do not repeat the name beside it.',
    example: 'true',
  }),
  SUPPORT_URL: optional({
    parse: parseSupportUrl,
    help: 'Web page or mailto address for people who need help. If it is set, every page links to it.',
    example: 'https://help.example.com/sign-in',
  }),
  TEMPLATES_FOLDER: optional({
    parse: parseFolder,
    help: 'Folder with your own page templates. A file here replaces the built-in template of the same name: see templates.md. The service does not start if a template is broken.',
    example: '/etc/authsvc/templates',
  }),
  DOMAIN: optional({
    parse: parseDomain,
    help: 'Root domain that the service and its applications share. If IS_DEPLOYED is true, session cookies are set for this domain and its subdomains, so that the applications receive them too.',
    example: 'example.com',
  }),
  IS_DEPLOYED: row({
    parse: parseBoolean,
    default: 'false',
    help: 'true in production: cookies are Secure and replies carry HSTS. SESSION_SECRET_KEY and an https BASE_URL are then required, and http addresses of providers or in LOGIN_REDIRECT_URL, env=dev and RATE_LIMITS=off are not allowed.',
    example: 'true',
  }),
  SESSION_SECRET_KEY: optional({
    parse: parseSecrets,
    defaultWords:
      'if IS_DEPLOYED is false: generated at the first start and stored beside the SQLite file, or with PostgreSQL in ./data of the working directory (mode 0600)',
    secret: true,
    help: 'Secret that encrypts session ids and stored secrets: at least 32 random characters. Several secrets, separated by commas, are allowed: the service encrypts with the first and decrypts with any of them. This lets you replace the secret without signing anyone out (see production.md).',
    example: 'the output of: openssl rand -base64 48',
  }),
  MAIN_SECRET_TOKEN: optional({
    parse: parseHeaderSecret,
    secret: true,
    help: 'Secret that a caller of POST /authsvc/api/terminateAllSessions must send. If it is not set, that route always answers 401. If IS_DEPLOYED is true, it needs at least 16 random characters.',
    example: 'the output of: openssl rand -hex 32',
  }),
  DATABASE_URL: row({
    parse: parseDatabaseUrl,
    default: 'sqlite:./data/authsvc.sqlite',
    secret: true,
    help: 'Where the data is stored: an SQLite file, or a PostgreSQL database (12 or newer). If your PostgreSQL has a primary and standbys, list all hosts, separated by commas: the service connects to the primary, also after a failover. For TLS and Unix sockets, see production.md.',
    example: 'postgres://authsvc:PASSWORD@db.internal:5432/authsvc',
  }),
  DATABASE_POOL_MAX: row({
    parse: parseInteger(1, 1000),
    default: '10',
    help: 'Maximum number of PostgreSQL connections in the pool of each process. Each process opens one more connection to be notified of changes.',
    example: '20',
  }),
  DATABASE_LISTEN_URL: optional({
    parse: parsePostgresUrl,
    defaultWords: 'DATABASE_URL',
    secret: true,
    help: 'Address of the same PostgreSQL database without a pooler in between. Each process opens one connection to it to be notified of changes (LISTEN). Needed if DATABASE_URL goes through a pooler such as PgBouncer. Without a direct connection, the service caches nothing in memory.',
    example: 'postgres://authsvc:PASSWORD@db.internal:5432/authsvc',
  }),
  LOGIN_REDIRECT_URL: row({
    parse: parseTarget,
    default: '/authsvc/',
    help: 'Path or URL to go to after a sign-in whose address names no other target. Error, device and session pages link to it as the start page. It cannot be a sign-in page.',
    example: '/dashboard',
  }),
  COOKIE_EXPIRE_TIME: row({
    parse: parseDays(MAX_COOKIE_DAYS),
    default: '2',
    help: 'Lifetime of a session in days, at most 400. Fractions are allowed.',
    example: '0.5',
  }),
  MAX_SESSIONS_PER_USER: row({
    parse: parseInteger(1, 10_000),
    default: '5',
    help: "Maximum number of sessions per user. A sign-in that would exceed it ends the user's oldest session.",
    example: '10',
  }),
  MAX_REMEMBERED_ACCOUNTS: row({
    parse: parseInteger(1, 20),
    default: '5',
    help: 'Maximum number of accounts that one browser can be signed in to and switch between.',
    example: '3',
  }),
  AUTHSVC_TWO_FA_ENABLE: row({
    parse: parseBoolean,
    default: 'false',
    help: 'true: users who have set up a second factor must use it when they sign in.',
    example: 'true',
  }),
  SECOND_FACTOR: row({
    parse: parseChoice('optional', 'superadmin', 'everyone'),
    default: 'optional',
    help: 'Who must have a second factor: optional (no one), superadmin (every superadmin) or everyone. A user who must have one and has no authenticator app sets one up at the next sign-in, unless the sign-in is by passkey. Other values than optional need AUTHSVC_TWO_FA_ENABLE=true.',
    example: 'superadmin',
  }),
  DEVICE_TRUST_DURATION_DAYS: row({
    parse: parseDays(MAX_COOKIE_DAYS, { allowZero: true }),
    default: '7',
    help: 'For how many days a browser skips the second step after the user chose "trust this device". 0 removes this choice.',
    example: '30',
  }),
  PASSKEYS: row({
    parse: parseChoice('on', 'off'),
    default: 'on',
    help: 'on: users can sign in with passkeys. off: the passkey routes do not exist and no page mentions passkeys, but stored passkeys are kept. Passkeys are also off if the host of BASE_URL is an IP address.',
    example: 'off',
  }),
  PASSKEY_RP_ID: optional({
    parse: parseRpId,
    defaultWords: 'DOMAIN if IS_DEPLOYED is true and DOMAIN is set, else the host of BASE_URL',
    help: 'Relying party ID: the host name to which browsers bind passkeys. It is the host of BASE_URL or a parent domain of it. The service does not start if the passkeys in the database have another relying party ID, because none of them would work.',
    example: 'example.com',
  }),
  PROFILE_EDIT: row({
    parse: parseChoice('on', 'off'),
    default: 'on',
    help: 'Whether users may change their own full name and picture: on or off.',
    example: 'off',
  }),
  LOGIN_UNKNOWN_USER_STATUS: row({
    parse: parseChoice('404', '401'),
    default: '404',
    deployedDefault: '401',
    defaultWords: '`404`; `401` when IS_DEPLOYED is true',
    help: 'HTTP status of a sign-in with an unknown username: 404, or 401. With 401 the reply is the same as for a wrong password, so it does not reveal whether the username exists. Both replies take the same time.',
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
    help: 'Proxies whose headers X-Forwarded-For, X-Forwarded-Proto and X-Forwarded-Host are trusted: true (every peer), false (none), or a list of addresses, CIDR ranges and the names loopback, linklocal and uniquelocal.',
    example: 'loopback,10.0.0.0/8',
  }),
  RATE_LIMITS: row({
    parse: parseRateLimits,
    default: 'on',
    help: 'Limits on the requests of each client: on, or a list that changes some limits. routes.md has the names of the limits. off is allowed only with env=dev.',
    example: 'login=20/60s,login-page=60/60s',
  }),
  ROLES: row({
    parse: parseRoles,
    default: 'normaluser,superadmin',
    help: 'Roles that a user can have, separated by commas. normaluser and superadmin always exist, and only superadmin has rights in authsvc itself. The other roles are for your applications: they can read the role of the signed-in user.',
    example: 'editor,auditor',
  }),
  LEGACY_TOKEN_PREFIXES: row({
    parse: parseTokenPrefixes,
    default: '',
    defaultWords: 'none',
    help: 'Prefixes of API tokens that another service issued and `authsvc import` imported, separated by commas. authsvc then also accepts tokens that consist of such a prefix and 64 hexadecimal digits. A prefix has 2 to 16 of the characters a-z, 0-9 and _, and ends in _. New tokens always begin with tok_.',
    example: 'mbk_',
  }),
  CODEHOST_LOGIN_ENABLED: row({
    parse: parseBoolean,
    default: 'false',
    help: 'true: users can sign in through the code host (OAuth 2.0).',
    example: 'true',
  }),
  CODEHOST_LABEL: row({
    parse: parseName(40),
    default: 'Codehost',
    help: 'Name of the code host on the pages, as in “Continue with NAME”.',
    example: 'GitLab',
  }),
  CODEHOST_LOGO: optional({
    parse: parseLogo,
    defaultWords: 'an icon of a source code branch',
    help: 'Path of the picture on the button of the code host. The same rules apply as for BRAND_LOGO.',
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
    help: 'URL that returns, as JSON, the account that an access token belongs to.',
    example: 'https://git.example.com/api/v1/user',
  }),
  CODEHOST_ID_FIELD: row({
    parse: parseText(64),
    default: 'id',
    help: 'Field of the JSON from CODEHOST_USER_URL that holds the permanent id of the account.',
    example: 'id',
  }),
  CODEHOST_SCOPE: row({
    parse: parseText(),
    default: 'read:user',
    help: 'OAuth scope to request.',
    example: 'read_user',
  }),
  WEBSSO_LOGIN_ENABLED: row({
    parse: parseBoolean,
    default: 'false',
    help: 'true: users can sign in through the identity provider (OpenID Connect).',
    example: 'true',
  }),
  WEBSSO_LABEL: row({
    parse: parseName(40),
    default: 'Web SSO',
    help: 'Name of the identity provider on the pages, as in “Continue with NAME”.',
    example: 'Google',
  }),
  WEBSSO_LOGO: optional({
    parse: parseLogo,
    defaultWords: 'an icon of a globe',
    help: 'Path of the picture on the button of the identity provider. The same rules apply as for BRAND_LOGO.',
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
    help: "Issuer URL of the provider. The service reads the provider's metadata from it (OpenID Connect Discovery 1.0 §4). An http URL is allowed only if IS_DEPLOYED is false.",
    example: 'https://sso.example.com/realms/main',
  }),
  WEBSSO_SCOPE: row({
    parse: parseText(),
    default: 'openid profile email',
    help: 'Scopes to request, separated by spaces. They must include openid.',
    example: 'openid',
  }),
  PROVIDERS: optional({
    parse: parseProviderNames,
    help: 'Names of more sign-in providers, separated by commas. A name has 2 to 32 of the characters a-z, 0-9 and -. Do not change a name later: URLs contain it (`/authsvc/api/NAME/login`), and so do the stored links between users and their provider accounts.',
    example: 'forge,corp',
  }),
  HTTPS_PROXY: optional({
    parse: parseProxy,
    defaultWords: 'HTTP_PROXY, else none',
    secret: true,
    help: 'Proxy for outgoing requests to https URLs: requests to sign-in providers, back-channel logout messages, the update check, and the commands `authsvc login`, `whoami` and `logout`. The lower-case name https_proxy works too and takes precedence. The proxy only tunnels TLS, so it sees host names but no content.',
    example: 'http://proxy.example.com:3128',
  }),
  HTTP_PROXY: optional({
    parse: parseProxy,
    secret: true,
    help: 'Proxy for outgoing requests to http URLs. It must support CONNECT for these as well. The lower-case name http_proxy works too and takes precedence.',
    example: 'http://proxy.example.com:3128',
  }),
  NO_PROXY: optional({
    parse: parseText(),
    help: 'Hosts that are reached without a proxy, separated by commas: host names (which include their subdomains) or IP addresses, each with an optional port, or `*` for all hosts. Address ranges are not supported. The lower-case name no_proxy works too and takes precedence.',
    example: 'localhost,127.0.0.1,git.example.com',
  }),
  AUDIT_RETENTION_DAYS: row({
    parse: parseInteger(0, 36_500),
    default: '365',
    help: 'How many days the audit log keeps an event. The service deletes older events when it starts and once an hour. With 0 it keeps all events.',
    example: '90',
  }),
  SMTP_URL: optional({
    parse: parseSmtpUrl,
    secret: true,
    help: 'Mail server: `smtp://` (uses STARTTLS if the server offers it) or `smtps://`, with user and password if the server requires them. If it is not set, authsvc sends no mail and no page mentions mail. If you set it, set MAIL_FROM too.',
    example: 'smtp://authsvc:PASSWORD@mail.example.com:587',
  }),
  MAIL_FROM: optional({
    parse: parseSender,
    help: 'Sender of the mails: an address, or a name and an address. If you set it, set SMTP_URL too.',
    example: 'Accounts <accounts@example.com>',
  }),
  WEBHOOK_PRIVATE_NETWORKS: row({
    parse: parseChoice('on', 'off'),
    default: 'off',
    help: 'Whether webhooks may be sent to loopback, private, link-local and reserved addresses: see webhooks.md. With off, a webhook cannot reach services of your own network, no matter who adds it.',
    example: 'on',
  }),
  UPDATE_CHECK: row({
    parse: parseChoice('on', 'off'),
    default: 'on',
    help: 'on: the service looks up its newest version in the package registry that npm uses. Each worker does so separately: one second after its start, and then when someone opens the page with the service information, at most every six hours, or every hour after a failed lookup. off: it looks nothing up, and the latest version is reported as null.',
    example: 'off',
  }),
  LOG_LEVEL: row({
    parse: parseChoice('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    default: 'info',
    help: 'Lowest level of the log lines that are written. From the fewest lines to the most: silent, fatal, error, warn, info, debug, trace.',
    example: 'warn',
  }),
  env: optional({
    parse: parseText(32),
    help: 'dev turns on the query monitor and the other diagnostics for developers.',
    example: 'dev',
  }),
  dbLogs: row({
    parse: parseBoolean,
    default: 'false',
    help: 'true: the button that empties the query monitor works (POST /authsvc/db/reset).',
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
