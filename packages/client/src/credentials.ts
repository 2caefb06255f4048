/** Headers as a framework has them: those of the Fetch Standard, a request with such, or the object of Node.js. */
export type HeaderSource =
  | { get(name: string): string | null }
  | { headers: { get(name: string): string | null } }
  | Record<string, string | string[] | undefined>;

/** What a visitor sends to say who they are. */
export interface Credentials {
  /** The headers to ask about. */
  headers: { cookie?: string; authorization?: string };
  /** The session cookies, or the token, in a form that tells them apart. */
  key: string;
}

/** A session cookie or token that authsvc can have made. Others may have characters that no header can carry. */
const POSSIBLE = /^[!-~]{1,1000}$/;
/** More cookies cannot be asked about. */
const MAX_COOKIES = 15;
const BEARER = /^bearer[ \t]+(tok_\S*)$/i;
const BASIC = /^basic[ \t]+([\w+/=-]+)$/i;

const hasGet = (value: unknown): value is { get(name: string): string | null } =>
  typeof value === 'object' && value !== null && 'get' in value && typeof value.get === 'function';

/** One header; `name` in lower case. */
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

/** The API token of an Authorization header: as Bearer, or as the password of Basic with any name. */
export function tokenOf(authorization: string): string | undefined {
  const [, bearer] = BEARER.exec(authorization) ?? [];
  if (bearer !== undefined) return bearer;
  const [, encoded = ''] = BASIC.exec(authorization) ?? [];
  const pair = decode(encoded);
  const password = pair.slice(pair.indexOf(':') + 1);
  return pair.includes(':') && password.startsWith('tok_') ? password : undefined;
}

/**
 * Finds what a request carries of authsvc, and nothing else of its headers.
 *
 * @param tokens whether an API token counts; then it counts alone
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
