/** Stands for the origin of this service when only the path of a URL matters. */
export const SAME_ORIGIN = 'http://same-origin.invalid';

/** Characters that browsers remove or that no header can carry: control characters (C0, DEL, C1), lone surrogates. */
const UNREADABLE = /[\p{Cc}\p{Cs}]/u;

/** Whether a browser's URL parser, or a second parser after it, could read something other than a path. */
function hasTrap(text: string): boolean {
  const [path = ''] = text.split(/[?#]/, 1);
  return UNREADABLE.test(text) || path.includes('\\');
}

const MAX_LENGTH = 2048;
/** Scheme and host as a browser reads them, then the rest. A browser also accepts `https:/host`, in its own way. */
const WHOLE = /^(https?:\/\/[^/?#]+)(.*)$/is;

/** A URL of any host: the origin as browsers read it, and the URL with that origin and the rest as given. */
export interface WholeUrl {
  origin: string;
  url: string;
}

/**
 * Reads a whole http or https URL.
 *
 * Nothing after the host is decoded, encoded or normalised. The origin in front of it is the parsed one, so that a
 * second parser cannot read a host other than the checked one.
 *
 * @returns undefined for anything else: credentials, a backslash before `?` or `#`, control characters, lone surrogates
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
 * The return address that a visitor requested if it is safe, else `fallback`.
 *
 * `//host`, `/\host`, tabs and line breaks all leave the site in some browser; a backslash after `?` or `#` is an
 * ordinary character.
 *
 * @param value untrusted
 * @param fallback a trusted path
 * @returns value unchanged if it begins with one `/` and stays on this origin after a browser's URL parsing. It may
 *   contain spaces and letters of any script: `Redirect` encodes them for a header
 * @see WHATWG URL §4.4; ASVS 5.0 3.7.2
 */
export function safeRedirect(value: unknown, fallback: string): string {
  if (typeof value !== 'string' || value.length > MAX_LENGTH || !value.startsWith('/') || hasTrap(value))
    return fallback;
  if (!URL.canParse(value, SAME_ORIGIN)) return fallback;
  const url = new URL(value, SAME_ORIGIN);
  return url.origin === SAME_ORIGIN && !url.pathname.startsWith('//') ? value : fallback;
}
