import { AppError } from '../errors/app-error.ts';
import { requirePlainText } from '../users/fields.ts';
import { type IdTokenAlg, idTokenAlgs } from './application.ts';
import type { ApplicationColumns } from './queries.ts';

const KEY = /^[a-zA-Z][a-zA-Z0-9-]{1,63}$/;
const MAX_NAME = 255;
const MAX_URL = 2048;
const MAX_ENTRIES = 20;
/** Characters that a URL here may not contain. Wildcards are refused because people would expect them to match. */
const UNFIT = /[\p{Cc}\p{Cs}\p{Z}#*\\]/u;
const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;
/** Private URI schemes of applications. Each must be a reversed domain name (RFC 8252 §7.1). */
const PRIVATE_SCHEME = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:./i;

/** Fields of an application. A field that is not given keeps its value, or is empty in a new application. */
export interface ApplicationFields {
  name?: string | undefined;
  urls?: readonly string[] | undefined;
  redirectUris?: readonly string[] | undefined;
  postLogoutRedirectUris?: readonly string[] | undefined;
  roles?: readonly string[] | undefined;
  /** An empty text removes the URI. */
  backchannelLogoutUri?: string | undefined;
  /** An empty text removes the icon. */
  icon?: string | undefined;
  isPublic?: boolean | undefined;
  isThirdParty?: boolean | undefined;
  deviceFlow?: boolean | undefined;
  idTokenAlg?: string | undefined;
  pkceRequired?: boolean | undefined;
}

/** The settings that decide which values are allowed. */
export interface FieldRules {
  /** The setting ROLES. */
  ROLES: readonly string[];
  IS_DEPLOYED: boolean;
}

/** Returns whether a text has the format of a key. Letters may have either case. */
export const isKey = (text: string): boolean => KEY.test(text);

/**
 * Reads the key of a new application and converts it to lower case.
 *
 * @throws AppError FIELD_INVALID
 */
export function parseKey(text: string): string {
  if (isKey(text)) return text.toLowerCase();
  throw new AppError('FIELD_INVALID', { field: 'key', reason: 'application' });
}

/** Parses an http or https URL with one host. Refuses parts that a reader could mistake for the host. */
function webUrl(text: string): URL | undefined {
  const [, authority] = /^https?:\/\/([^/?]+)/i.exec(text) ?? [];
  if (!authority || authority.includes('@') || text.length > MAX_URL || UNFIT.test(text) || !URL.canParse(text))
    return undefined;
  const url = new URL(text);
  return url.hostname.includes('*') ? undefined : url;
}

function requireUrl(text: string, { IS_DEPLOYED }: FieldRules): void {
  const url = webUrl(text);
  // If the host name ends with a dot, browsers treat it as another host and do not send its cookies.
  if (!url || url.hostname.endsWith('.')) throw new AppError('FIELD_INVALID', { field: 'urls' });
  if (IS_DEPLOYED && url.protocol === 'http:' && !LOOPBACK.test(url.hostname))
    throw new AppError('FIELD_INVALID', { field: 'urls', reason: 'https' });
}

function requireRedirectUri(text: string, field: string, isPublic: boolean | undefined): void {
  const isPrivate = PRIVATE_SCHEME.test(text) && text.length <= MAX_URL && !UNFIT.test(text) && URL.canParse(text);
  if (!webUrl(text) && !(isPublic !== false && isPrivate)) throw new AppError('FIELD_INVALID', { field });
}

/** Prepares a list for its column: removes duplicates and empty entries, and has `check` validate each entry. */
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

function parseAlg(text: string | undefined): IdTokenAlg | undefined {
  const alg = idTokenAlgs.find((known) => known === text);
  if (text !== undefined && !alg) throw new AppError('FIELD_INVALID', { field: 'id_token_alg', allowed: idTokenAlgs });
  return alg;
}

/**
 * Refuses a public application without PKCE. Only a secret would then protect its authorization codes, and it has none.
 */
function parsePkce(isRequired: boolean | undefined, isPublic: boolean | undefined): number | undefined {
  if (isRequired === false && isPublic) throw new AppError('FIELD_INVALID', { field: 'pkce_required' });
  return asNumber(isRequired);
}

const asNumber = (flag: boolean | undefined): number | undefined => (flag === undefined ? undefined : Number(flag));

/**
 * Validates the fields of an application.
 *
 * @param isPublic whether the application will be public. Only a public one may have URIs with a private scheme; only a
 *   confidential one may do without PKCE. If undefined, the kind is not known yet and both are allowed
 * @returns the columns of the given fields; undefined for the others
 * @throws AppError FIELD_INVALID with the field's name in JSON
 * @see RFC 6749 §3.1.2; RFC 8252 §7; OWASP ASVS 5.0 10.4.1
 */
export function parseFields(
  fields: ApplicationFields,
  rules: FieldRules,
  isPublic: boolean | undefined,
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
    device_flow: asNumber(fields.deviceFlow),
    id_token_alg: parseAlg(fields.idTokenAlg),
    pkce_required: parsePkce(fields.pkceRequired, isPublic),
  };
}
