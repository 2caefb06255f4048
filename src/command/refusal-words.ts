import type { AppError, ErrorParameters } from '../errors/app-error.ts';
import { type ErrorName, errorRegistry } from '../errors/registry.ts';

/** Exit codes: 1 if the command was refused, 2 if it was used wrongly. */
export const REFUSED = 1;
export const USAGE = 2;

/** Where a refused value was given: as an option of the command, or as a field of a record in an imported file. */
type Origin = 'option' | 'record';

type Words = (parameters: ErrorParameters, origin: Origin) => string;

const quote = (text: string | number | undefined): string => JSON.stringify(text ?? '');

const plainText = (what: string, maximum: number): string =>
  `The ${what} must have at most ${maximum} characters, some of them visible, and no control characters or direction marks.`;

const redirectUri = (origin: Origin): string =>
  `an http or https URL (with ${origin === 'option' ? '--public' : 'is_public'}, a scheme such as com.example.app: is also allowed), without credentials, fragment or wildcard`;

/** The name of a value as an option, and as a field of a record. The option is repeated for each entry of a list. */
type Names = Record<Origin, string>;

const tooMany = (names: Names, origin: Origin): string =>
  origin === 'option'
    ? `${names.option} can be given at most 20 times.`
    : `The field ${names.record} can have at most 20 entries.`;

function listWords(names: Names, origin: Origin, what: string, reason: string | undefined): string {
  if (reason === 'too-many') return tooMany(names, origin);
  return origin === 'option'
    ? `Each ${names.option} must be ${what}.`
    : `Each entry of ${names.record} must be ${what}.`;
}

const oneOf = (names: Names, origin: Origin, allowed: readonly (string | number)[]): string =>
  `${origin === 'option' ? `${names.option} takes` : `The field ${names.record} must be`} one of ${allowed.join(', ')}.`;

const roleWords = (names: Names, origin: Origin, allowed: readonly (string | number)[]): string =>
  `${oneOf(names, origin, allowed)} The setting ROLES adds other roles.`;

const daysWords: Words = ({ maximum }, origin) =>
  origin === 'option'
    ? `--expires-in-days takes a whole number from 1 to ${maximum}.`
    : `The field expires_in_days must be a whole number from 1 to ${maximum}.`;

const instantWords = (option: string): string =>
  `${option} takes a time in ISO 8601, such as 2026-11-29T13:50Z, or a span before now, such as 30m, 24h or 7d.`;

/** The sentence for an invalid field. The keys are the names of the fields in JSON. */
const fieldWords: Record<string, Words> = {
  full_name: ({ maximum = 0 }) => plainText('full name', maximum),
  image: ({ maximum = 0 }) => plainText('image', maximum),
  allowed_apps: ({ reason, maximum = 0 }) =>
    reason === 'too-many'
      ? `A user can have at most ${maximum} applications.`
      : plainText('name of an application', maximum),
  provider: ({ provider, allowed = [] }) =>
    `There is no provider ${quote(provider)}. The providers are ${allowed.join(', ')}.`,
  role: ({ allowed = [] }, origin) => roleWords({ option: '--role', record: 'role' }, origin, allowed),
  hours: ({ maximum }) => `--hours takes a number greater than 0 and at most ${maximum}; fractions are allowed.`,
  provider_id: () => 'The id of the account must have 1 to 255 characters and no control characters.',
  name: () =>
    'A name must have 1 to 255 characters, some of them visible, and no control characters or direction marks.',
  key: ({ reason }) =>
    reason === 'application'
      ? 'The key of an application has 2 to 64 of the characters a-z, 0-9 and -, and begins with a letter.'
      : 'A key must have 6 to 255 of the characters a-z, A-Z, 0-9, ".", "_", "~" and "-".',
  urls: ({ reason }, origin) =>
    reason === 'https'
      ? 'When IS_DEPLOYED is true, a URL of an application must be https. Only loopback hosts may use http.'
      : listWords(
          { option: '--url', record: 'urls' },
          origin,
          'an http or https URL with a host, without credentials, fragment or wildcard',
          reason,
        ),
  redirect_uris: ({ reason }, origin) =>
    listWords({ option: '--redirect-uri', record: 'redirect_uris' }, origin, redirectUri(origin), reason),
  post_logout_redirect_uris: ({ reason }, origin) =>
    listWords(
      { option: '--post-logout-uri', record: 'post_logout_redirect_uris' },
      origin,
      redirectUri(origin),
      reason,
    ),
  backchannel_logout_uri: () =>
    'The back-channel logout URI must be an http or https URL without credentials or fragment.',
  icon: () => 'The icon must be an https URL without credentials; http is allowed where IS_DEPLOYED is false.',
  roles: ({ reason, allowed = [] }, origin) =>
    reason === 'too-many'
      ? tooMany({ option: '--role', record: 'roles' }, origin)
      : roleWords({ option: '--role', record: 'roles' }, origin, allowed),
  keep_old_hours: ({ maximum }) => `--keep-old-hours takes a whole number from 0 to ${maximum}.`,
  id_token_alg: ({ allowed = [] }, origin) =>
    oneOf({ option: '--id-token-alg', record: 'id_token_alg' }, origin, allowed),
  pkce_required: (_, origin) =>
    `${origin === 'option' ? '--without-pkce is' : 'The field pkce_required can be false'} only for confidential applications, because a public application has no secret that protects its codes.`,
  address: () => '--address takes an IPv4 or IPv6 address, such as 192.0.2.7.',
  user: () => '--user takes the name of a user.',
  application: () => '--app takes the key of an application.',
  since: ({ reason }) =>
    reason === 'after-until' ? '--since is after --until, so no event can match.' : instantWords('--since'),
  until: () => instantWords('--until'),
  event: ({ allowed = [] }) => `--event takes one of ${allowed.join(', ')}.`,
  limit: ({ maximum = 0 }) => `--limit takes a whole number from 1 to ${maximum}.`,
  url: () => 'The URL must be an http or https URL with a host, without credentials and fragment.',
  events: ({ allowed = [] }) => `--event takes one of ${allowed.join(', ')}.`,
  description: ({ maximum = 0 }) => plainText('description', maximum),
  secret: () => 'The secret must be base32 (A-Z and 2-7) with at least 16 characters.',
};

/** Errors with another text on the command line than in the API. All other errors use their message and hint. */
const words: { readonly [Name in ErrorName]?: Words } = {
  USER_NOT_FOUND: ({ username }) => `There is no user called ${quote(username)}.`,
  USERNAME_TAKEN: ({ username }) => `There is already a user called ${quote(username)}.`,
  USERNAME_INVALID: ({ username }) =>
    `${quote(username)} cannot be a username. A username has 1 to 255 visible characters of one script, only single spaces, and is not the word "stats".`,
  PASSWORD_TOO_COMMON: ({ reason }) =>
    reason === 'context'
      ? 'The password is the name of the user or of the application. Choose another one.'
      : 'The password is one of the most common ones. Choose another one.',
  FIELD_INVALID: (parameters, origin) =>
    fieldWords[parameters.field ?? '']?.(parameters, origin) ?? defaultWords('FIELD_INVALID'),
  MISSING_REQUIRED_FIELD: () =>
    'The command was given nothing to change. Run it with --help to see what it can change.',
  EMAIL_MISSING: ({ username }) => `${username} has no e-mail address. Add one: authsvc user set --email.`,
  USER_HAS_WAY_IN: ({ username, reason }) =>
    reason === 'inactive'
      ? `${username} is inactive, but already has a way to sign in. Activate the user instead: authsvc user set --active.`
      : `${username} can already sign in. Create a reset link instead: authsvc user reset.`,
  EMAIL_INVALID: () => 'An e-mail address looks like ada@example.com and has at most 254 characters.',
  EXPIRES_DAYS_INVALID: daysWords,
  ID_INVALID: () => 'The id of a token is a whole number greater than 0.',
  TOKEN_NOT_FOUND: ({ id }) => `There is no token ${id}.`,
  SESSION_NOT_FOUND: ({ id }) => `There is no session ${quote(id)}.`,
  TWO_FACTOR_NOT_ON: ({ username }) => `${username} has no second factor.`,
  PROFILE_NOT_FOUND: ({ key }) => `There is no profile with the key ${quote(key)}.`,
  PROFILE_KEY_TAKEN: ({ key }) => `There is already a profile with the key ${quote(key)}.`,
  APPLICATION_NOT_FOUND: ({ key }) => `There is no application with the key ${quote(key)}.`,
  APPLICATION_KEY_TAKEN: ({ key }) => `There is already an application with the key ${quote(key)}.`,
  APPLICATION_PUBLIC: ({ key }) => `${quote(key)} is a public application and has no secret.`,
  WEBHOOK_NOT_FOUND: ({ id }) => `There is no webhook ${quote(id)}.`,
  DELIVERY_NOT_FOUND: ({ id }) => `There is no waiting or failed delivery ${quote(id)}.`,
  CONNECTION_TAKEN: ({ provider, providerAccount, username }) =>
    `The ${provider} account ${quote(providerAccount)} is already linked to ${username}.`,
  CONNECTION_EXISTS: ({ provider, providerAccount, username }) =>
    `${username} is already linked to the ${provider} account ${quote(providerAccount)}. Remove that link first.`,
  REF_UNKNOWN: ({ provider, username, id }) => {
    if (username === undefined) return `There is no grant ${quote(id)}.`;
    return provider === undefined ? `${username} has no passkey ${quote(id)}.` : `${username} has no ${provider} link.`;
  },
};

function defaultWords(name: ErrorName): string {
  const { message, hint } = errorRegistry[name];
  return `${message}. ${hint}`;
}

/**
 * Returns the text of a refusal for the person who typed the command.
 *
 * @param origin where the refused value was given
 */
export const refusalWords = ({ code, parameters }: AppError, origin: Origin = 'option'): string =>
  words[code]?.(parameters, origin) ?? defaultWords(code);

/** Errors about a password. It is read from standard input, so these errors do not count as wrong usage. */
const readFromInput: readonly ErrorName[] = ['PASSWORD_TOO_SHORT', 'PASSWORD_TOO_LONG', 'PASSWORD_TOO_COMMON'];

/** Returns the exit code for a refusal. Invalid input (error numbers 1000 to 1099) counts as wrong usage. */
export function exitCodeOf({ code }: AppError): number {
  const { number } = errorRegistry[code];
  const isInput = number >= 1000 && number <= 1099 && !readFromInput.includes(code);
  return isInput ? USAGE : REFUSED;
}
