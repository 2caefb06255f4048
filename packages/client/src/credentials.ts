/** Headers of a request: a `Headers` object, a `Request`, or the headers object of Node.js. */
export type HeaderSource =
  | { get(name: string): string | null }
  | { headers: { get(name: string): string | null } }
  | Record<string, string | string[] | undefined>;

/** The credentials of authsvc in a request. @internal */
export interface Credentials {
  /** The headers to send to authsvc for the check. */
  headers: { cookie?: string; authorization?: string };
  /** Cache key: the session cookies or the token. Different credentials have different keys. */
  key: string;
}

/** Matches every session cookie and token of authsvc. Other values may contain characters that `fetch` rejects in a header. */
const POSSIBLE = /^[!-~]{1,1000}$/;
/** Together with the 1,000 characters of POSSIBLE, keeps the `Cookie` header below the limit of authsvc (16 KiB). */
const MAX_COOKIES = 15;
const BEARER = /^bearer[ \t]+(tok_\S*)$/i;
const BASIC = /^basic[ \t]+([\w+/=-]+)$/i;

const hasGet = (value: unknown): value is { get(name: string): string | null } =>
  typeof value === 'object' && value !== null && 'get' in value && typeof value.get === 'function';

/** Returns the value of a header. @param name in lower case @internal */
export function headerOf(from: HeaderSource, name: string): string | undefined {
  if (hasGet(from)) return from.get(name) ?? undefined;
  if (hasGet(from.headers)) return from.headers.get(name) ?? undefined;
  const value: unknown = Reflect.get(from, name);
  if (Array.isArray(value)) return value.join(name === 'cookie' ? '; ' : ', ');
  return typeof value === 'string' ? value : undefined;
}

function sessionCookies(header: string): string[] {
  const found = new Set<string>();
  for (const part of header.split(';')) {
    const at = part.indexOf('=');
    if (at < 0 || part.slice(0, at).trim() !== 'session_id') continue;
    const value = part.slice(at + 1).trim();
    if (POSSIBLE.test(value)) found.add(value);
  }
  return [...found].slice(0, MAX_COOKIES);
}

function decode(base64: string): string {
  try {
    return atob(base64.replaceAll('-', '+').replaceAll('_', '/'));
  } catch {
    return '';
  }
}

/** Returns the API token of an `Authorization` header: a Bearer token, or the password of Basic authentication. @internal */
export function tokenOf(authorization: string): string | undefined {
  const [, bearer] = BEARER.exec(authorization) ?? [];
  if (bearer !== undefined) return bearer;
  const [, encoded = ''] = BASIC.exec(authorization) ?? [];
  const pair = decode(encoded);
  const password = pair.slice(pair.indexOf(':') + 1);
  return pair.includes(':') && password.startsWith('tok_') ? password : undefined;
}

/**
 * Returns the credentials of authsvc in a request, without its other cookies and headers.
 *
 * @param tokens whether to accept an API token. If the request has one, its session cookies are ignored
 * @returns undefined if there are no credentials, or if authsvc cannot have issued them
 * @internal
 */
export function credentialsOf(from: HeaderSource, tokens: boolean): Credentials | undefined {
  const token = tokens ? tokenOf(headerOf(from, 'authorization') ?? '') : undefined;
  if (token !== undefined) {
    return POSSIBLE.test(token) ? { headers: { authorization: `Bearer ${token}` }, key: `;${token}` } : undefined;
  }
  const header = headerOf(from, 'cookie');
  if (!header?.includes('session_id')) return undefined;
  const cookies = sessionCookies(header);
  if (cookies.length === 0) return undefined;
  return { headers: { cookie: `session_id=${cookies.join('; session_id=')}` }, key: cookies.join(';') };
}
