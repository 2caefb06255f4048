/** Stands for the origin of this service where a URL has to have one and only its path counts. */
export const SAME_ORIGIN = 'http://same-origin.invalid';

/** What browsers leave out of an address or no header can carry: control characters (C0, DEL, C1), halves of a character. */
const UNREADABLE = /[\p{Cc}\p{Cs}]/u;

/** True where a browser's URL parser, or a second one behind it, could read something else than a path. */
function hasTrap(text: string): boolean {
  const [path = ''] = text.split(/[?#]/, 1);
  return UNREADABLE.test(text) || path.includes('\\');
}

const MAX_LENGTH = 2048;
/** Scheme and host as a browser reads them, then the rest. A browser reads `https:/host` too, in ways of its own. */
const WHOLE = /^(https?:\/\/[^/?#]+)(.*)$/is;

/** A URL of some host: the origin as browsers read it, and the URL with that origin and everything behind it as given. */
export interface WholeUrl {
  origin: string;
  url: string;
}

/**
 * Reads a whole http or https URL.
 *
 * Nothing behind the host is decoded, encoded or normalised. The origin in front of it is the parsed one, so that no
 * second parser can read another host than the one that was looked at.
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
 * The return address that a visitor asked for, where it is safe to follow, else `fallback`.
 *
 * Needs   value: whatever came in. fallback: a trusted path.
 * Gives   value unchanged when it begins with one `/` and stays on this origin after a browser's URL parsing. It may
 *         hold spaces and letters of any script: `Redirect` encodes them for a header.
 * Why     `//host`, `/\host`, tabs and line breaks all lead away from the site in some browser; a backslash behind `?`
 *         or `#` is a sign like any other.
 * Source  WHATWG URL §4.4; ASVS 5.0 3.7.2
 */
export function safeRedirect(value: unknown, fallback: string): string {
  if (typeof value !== 'string' || value.length > MAX_LENGTH || !value.startsWith('/') || hasTrap(value))
    return fallback;
  if (!URL.canParse(value, SAME_ORIGIN)) return fallback;
  const url = new URL(value, SAME_ORIGIN);
  return url.origin === SAME_ORIGIN && !url.pathname.startsWith('//') ? value : fallback;
}
