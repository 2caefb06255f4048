import { AppError } from '../errors/app-error.ts';
import { schemeOf } from '../http/scheme.ts';

/** The original request that a proxy asks about. */
export interface OriginalRequest {
  method: string;
  origin: string;
  /** As in the visitor's browser. */
  url: string;
}

/** The parts that a proxy reports. */
interface Told {
  method: string | undefined;
  scheme: string | undefined;
  host: string | undefined;
  /** Path and query. */
  path: string | undefined;
}

const METHOD = /^[!#$%&'*+.^_`|~\w-]+$/;
const HOST = /^(\[[\da-f:.]+\]|(?:(?![/?#@\\:,[\]])[!-~])+)(:\d{1,5})?$/i;
const PATH = /^\/\P{Cc}*$/u;
const WHOLE = /^([a-z]+):\/\/([^/?#]*)(.*)$/is;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Node.js has one character for each byte. Those of a path are UTF-8, where a client has not encoded them. */
function toText(bytes: string): string {
  try {
    return utf8.decode(Buffer.from(bytes, 'latin1'));
  } catch {
    return bytes;
  }
}

/**
 * The value of a header that was sent once. A proxy that adds a second line would leave the visitor's line in front.
 */
function onceIn(rawHeaders: readonly string[], name: string): string | undefined {
  const values = rawHeaders.filter((_value, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name);
  return values.length === 1 ? values[0] : undefined;
}

/** Proxies take `wiki.example.com.` for `wiki.example.com`, so both are the same application. */
const FINAL_DOTS = /\.+(?=(:\d+)?$)/;

function originOf(scheme: string, host: string): string | undefined {
  const url = `${scheme}://${host}`;
  const origin = HOST.test(host) && URL.canParse(url) ? new URL(url).origin.replace(FINAL_DOTS, '') : '';
  return URL.canParse(origin) ? origin : undefined;
}

function toOriginal({ method = '', scheme = '', host = '', path: bytes = '' }: Told): OriginalRequest {
  const known = schemeOf(scheme);
  const origin = known && originOf(known, host);
  const path = toText(bytes);
  if (!origin || !METHOD.test(method) || !PATH.test(path)) throw new AppError('ORIGINAL_REQUEST_INVALID');
  return { method, origin, url: origin + path };
}

/**
 * Reads what Caddy and Traefik send: X-Forwarded-Method, -Proto, -Host and -Uri.
 *
 * @throws AppError ORIGINAL_REQUEST_INVALID if one is missing, sent twice, or invalid
 */
export const readForwarded = (rawHeaders: readonly string[]): OriginalRequest =>
  toOriginal({
    method: onceIn(rawHeaders, 'x-forwarded-method'),
    scheme: onceIn(rawHeaders, 'x-forwarded-proto'),
    host: onceIn(rawHeaders, 'x-forwarded-host'),
    path: onceIn(rawHeaders, 'x-forwarded-uri'),
  });

/**
 * Reads what nginx and HAProxy are configured to send: X-Original-Method and X-Original-URL.
 *
 * @throws AppError ORIGINAL_REQUEST_INVALID
 */
export function readOriginalUrl(rawHeaders: readonly string[]): OriginalRequest {
  const [, scheme, host, path] = WHOLE.exec(onceIn(rawHeaders, 'x-original-url') ?? '') ?? [];
  return toOriginal({ method: onceIn(rawHeaders, 'x-original-method'), scheme, host, path });
}

const EXTENDED = /^\/authsvc\/api\/authz\/ext-authz\/([^/?]*)(.*)$/s;

/**
 * Reads what Envoy sends: the request itself, with a prefix and the key of the application in front of its path.
 *
 * @returns key: undefined for `-`
 * @throws AppError ORIGINAL_REQUEST_INVALID
 */
export function readExtended(
  rawHeaders: readonly string[],
  { method, url }: { method: string; url: string },
): { key: string | undefined; original: OriginalRequest } {
  const [, key, path] = EXTENDED.exec(url) ?? [];
  const [scheme, host] = [onceIn(rawHeaders, 'x-forwarded-proto'), onceIn(rawHeaders, 'host')];
  return { key: key === '-' ? undefined : key, original: toOriginal({ method, scheme, host, path }) };
}
