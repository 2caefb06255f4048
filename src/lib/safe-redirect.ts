/** A placeholder for the origin of this service, used where only the path of a URL matters. */
export const SAME_ORIGIN = 'http://same-origin.invalid';

/**
 * Characters that browsers remove or that headers cannot contain: control characters (C0, DEL, C1) and lone
 * surrogates.
 */
const UNREADABLE = /[\p{Cc}\p{Cs}]/u;

/**
 * Returns whether a text has a backslash in its path or an unreadable character. URL parsers differ in how they
 * read these, so one of them could read something other than a path.
 */
function hasTrap(text: string): boolean {
  const [path = ''] = text.split(/[?#]/, 1);
  return UNREADABLE.test(text) || path.includes('\\');
}

const MAX_LENGTH = 2048;
/**
 * Matches scheme and host, and then the rest. Browsers also accept `https:/host`, but this pattern refuses it,
 * because they interpret it in their own way.
 */
const WHOLE = /^(https?:\/\/[^/?#]+)(.*)$/is;

/**
 * An absolute URL of any host. `origin` is as browsers parse it. `url` is that origin followed by the rest of the
 * given text.
 */
export interface WholeUrl {
  origin: string;
  url: string;
}

/**
 * Parses an absolute http or https URL.
 *
 * The text after the host is not decoded, encoded or normalised. The origin before it is the parsed one, so that a
 * second parser cannot find a host other than the checked one.
 *
 * @returns undefined for other text, and for a URL with credentials, a backslash before `?` or `#`, control
 * characters or lone surrogates
 * @see WHATWG URL §4.4; OWASP ASVS 5.0 3.7.2
 */
export function parseWholeUrl(text: string): WholeUrl | undefined {
  const [, start = '', rest = ''] = WHOLE.exec(text) ?? [];
  if (start === '' || text.length > MAX_LENGTH || start.includes('@') || hasTrap(text)) return undefined;
  if (!URL.canParse(text)) return undefined;
  const { origin } = new URL(text);
  return { origin, url: origin + rest };
}

/**
 * Returns the return address that a visitor requested if it is safe, or else `fallback`.
 *
 * Some browsers leave the site for `//host`, `/\host`, tabs and line breaks. A backslash after `?` or `#` is an
 * ordinary character.
 *
 * @param value untrusted return address
 * @param fallback trusted path
 * @returns `value` unchanged if it begins with one `/` and a browser stays on this origin. It may contain spaces
 * and letters of any script, which `Redirect` encodes for the header
 * @see WHATWG URL §4.4; ASVS 5.0 3.7.2
 */
export function safeRedirect(value: unknown, fallback: string): string {
  if (typeof value !== 'string' || value.length > MAX_LENGTH || !value.startsWith('/') || hasTrap(value))
    return fallback;
  if (!URL.canParse(value, SAME_ORIGIN)) return fallback;
  const url = new URL(value, SAME_ORIGIN);
  return url.origin === SAME_ORIGIN && !url.pathname.startsWith('//') ? value : fallback;
}
