import { AppError } from '../errors/app-error.ts';
import { requirePlainText } from '../users/fields.ts';
import type { ApplicationColumns } from './queries.ts';

const KEY = /^[a-zA-Z][a-zA-Z0-9-]{1,63}$/;
const MAX_NAME = 255;
const MAX_URL = 2048;
const MAX_ENTRIES = 20;
/** No part of a URL as an operator writes it; wildcards mean nothing here, so they would mislead. */
const UNFIT = /[\p{Cc}\p{Cs}\p{Z}#*\\]/u;
const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;
/** A scheme of an application's own is a domain name backwards (RFC 8252 §7.1). */
const PRIVATE_SCHEME = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:./i;

/** What an operator says about an application; what is left out stays, or is empty in a new one. */
export interface ApplicationFields {
  name?: string | undefined;
  urls?: readonly string[] | undefined;
  redirectUris?: readonly string[] | undefined;
  postLogoutRedirectUris?: readonly string[] | undefined;
  roles?: readonly string[] | undefined;
  /** Empty: none. */
  backchannelLogoutUri?: string | undefined;
  /** Empty: none. */
  icon?: string | undefined;
  isPublic?: boolean | undefined;
  isThirdParty?: boolean | undefined;
}

/** What decides which values are allowed. */
export interface FieldRules {
  /** The setting ROLES. */
  ROLES: readonly string[];
  IS_DEPLOYED: boolean;
}

/** Whether a text has the form of a key, in any case of letters. */
export const isKey = (text: string): boolean => KEY.test(text);

/**
 * The key of a new application, in lower case.
 *
 * @throws AppError FIELD_INVALID
 */
export function parseKey(text: string): string {
  if (isKey(text)) return text.toLowerCase();
  throw new AppError('FIELD_INVALID', { field: 'key', reason: 'application' });
}

/** A URL that names one host by http or https, and nothing else that a reader could take for the host. */
function webUrl(text: string): URL | undefined {
  const [, authority] = /^https?:\/\/([^/?]+)/i.exec(text) ?? [];
  if (!authority || authority.includes('@') || text.length > MAX_URL || UNFIT.test(text) || !URL.canParse(text))
    return undefined;
  const url = new URL(text);
  return url.hostname.includes('*') ? undefined : url;
}

function requireUrl(text: string, { IS_DEPLOYED }: FieldRules): void {
  const url = webUrl(text);
  if (!url) throw new AppError('FIELD_INVALID', { field: 'urls' });
  if (IS_DEPLOYED && url.protocol === 'http:' && !LOOPBACK.test(url.hostname))
    throw new AppError('FIELD_INVALID', { field: 'urls', reason: 'https' });
}

function requireRedirectUri(text: string, field: string, isPublic: boolean): void {
  const isPrivate = PRIVATE_SCHEME.test(text) && text.length <= MAX_URL && !UNFIT.test(text) && URL.canParse(text);
  if (!webUrl(text) && !(isPublic && isPrivate)) throw new AppError('FIELD_INVALID', { field });
}

/** A list as its column keeps it: each entry once, without empty ones, each of which `check` has accepted. */
function parseEntries(
  given: readonly string[] | undefined,
  field: string,
  check: (entry: string) => void,
): string | undefined {
  if (given === undefined) return undefined;
  const entries = [...new Set(given.filter((entry) => entry !== ''))];
  if (entries.length > MAX_ENTRIES)
    throw new AppError('FIELD_INVALID', { field, reason: 'too-many', maximum: MAX_ENTRIES });
  for (const entry of entries) check(entry);
  return JSON.stringify(entries);
}

function parseWebUrl(text: string | undefined, field: string, isFine = (_url: URL) => true): string | null | undefined {
  if (text === undefined) return undefined;
  if (text === '') return null;
  const url = webUrl(text);
  if (url && isFine(url)) return text;
  throw new AppError('FIELD_INVALID', { field });
}

function parseName(text: string | undefined): string | undefined {
  const name = text === undefined ? undefined : requirePlainText(text, 'name', MAX_NAME);
  if (name === '') throw new AppError('FIELD_INVALID', { field: 'name', maximum: MAX_NAME });
  return name;
}

const asNumber = (flag: boolean | undefined): number | undefined => (flag === undefined ? undefined : Number(flag));

/**
 * Checks what an operator says about an application.
 *
 * @param isPublic what the application will be: only a public one can have URIs with a scheme of its own
 * @returns the columns of what was given; undefined for the rest
 * @throws AppError FIELD_INVALID with the name of the field in JSON
 * @see RFC 6749 §3.1.2; RFC 8252 §7; OWASP ASVS 5.0 10.4.1
 */
export function parseFields(
  fields: ApplicationFields,
  rules: FieldRules,
  isPublic: boolean,
): { [Column in keyof ApplicationColumns]: ApplicationColumns[Column] | undefined } {
  const uris = (given: readonly string[] | undefined, field: string) =>
    parseEntries(given, field, (uri) => requireRedirectUri(uri, field, isPublic));
  return {
    name: parseName(fields.name),
    urls: parseEntries(fields.urls, 'urls', (url) => requireUrl(url, rules)),
    redirect_uris: uris(fields.redirectUris, 'redirect_uris'),
    post_logout_redirect_uris: uris(fields.postLogoutRedirectUris, 'post_logout_redirect_uris'),
    roles: parseEntries(fields.roles, 'roles', (role) => {
      if (!rules.ROLES.includes(role)) throw new AppError('FIELD_INVALID', { field: 'roles', allowed: rules.ROLES });
    }),
    backchannel_logout_uri: parseWebUrl(fields.backchannelLogoutUri, 'backchannel_logout_uri'),
    icon: parseWebUrl(fields.icon, 'icon', ({ protocol }) => protocol === 'https:' || !rules.IS_DEPLOYED),
    is_public: asNumber(fields.isPublic),
    is_third_party: asNumber(fields.isThirdParty),
  };
}
