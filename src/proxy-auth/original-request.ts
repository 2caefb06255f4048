import { AppError } from '../errors/app-error.ts';
import { schemeOf } from '../http/scheme.ts';

/** The original request, for which a proxy asks whether it may pass. */
export interface OriginalRequest {
  method: string;
  origin: string;
  /** The URL as the visitor's browser shows it. */
  url: string;
}

/** The parts of the original request, as the proxy sent them. */
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

const ASCII = /^[!-~]*$/;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Decodes the UTF-8 bytes of a path that the client did not percent-encode. Node.js returns one character per byte.
 * A path that is not valid UTF-8 is returned unchanged.
 */
function toText(bytes: string): string {
  if (ASCII.test(bytes)) return bytes;
  try {
    return utf8.decode(Buffer.from(bytes, 'latin1'));
  } catch {
    return bytes;
  }
}

/**
 * Returns the value of a header that occurs exactly once. If a proxy appended its own header after the visitor's,
 * the first value would be the visitor's, so a repeated header counts as missing.
 */
function onceIn(rawHeaders: readonly string[], name: string): string | undefined {
  let found: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const header = rawHeaders[at] ?? '';
    if (header.length !== name.length || header.toLowerCase() !== name) continue;
    if (found !== undefined) return undefined;
    found = rawHeaders[at + 1];
  }
  return found;
}

/**
 * Proxies treat the host `wiki.example.com.` like `wiki.example.com`. The final dot is removed, so that both belong
 * to the same application.
 */
const FINAL_DOTS = /\.+(?=(:\d+)?$)/;

function originOf(scheme: string, host: string): string | undefined {
  const url = `${scheme}://${host}`;
  if (!HOST.test(host) || !URL.canParse(url)) return undefined;
  const { origin } = new URL(url);
  const shorter = origin.replace(FINAL_DOTS, '');
  return shorter === origin || URL.canParse(shorter) ? shorter : undefined;
}

function toOriginal({ method = '', scheme = '', host = '', path: bytes = '' }: Told): OriginalRequest {
  const known = schemeOf(scheme);
  const origin = known && originOf(known, host);
  const path = toText(bytes);
  if (!origin || !METHOD.test(method) || !PATH.test(path)) throw new AppError('ORIGINAL_REQUEST_INVALID');
  return { method, origin, url: origin + path };
}

/**
 * Reads a check request from Caddy or Traefik: X-Forwarded-Method, -Proto, -Host and -Uri.
 *
 * @throws AppError ORIGINAL_REQUEST_INVALID if a header is missing, sent twice, or invalid
 */
export const readForwarded = (rawHeaders: readonly string[]): OriginalRequest =>
  toOriginal({
    method: onceIn(rawHeaders, 'x-forwarded-method'),
    scheme: onceIn(rawHeaders, 'x-forwarded-proto'),
    host: onceIn(rawHeaders, 'x-forwarded-host'),
    path: onceIn(rawHeaders, 'x-forwarded-uri'),
  });

/**
 * Reads a check request from nginx or HAProxy: X-Original-Method and X-Original-URL. The operator configures the
 * proxy to send them.
 *
 * @throws AppError ORIGINAL_REQUEST_INVALID if a header is missing, sent twice, or invalid
 */
export function readOriginalUrl(rawHeaders: readonly string[]): OriginalRequest {
  const [, scheme, host, path] = WHOLE.exec(onceIn(rawHeaders, 'x-original-url') ?? '') ?? [];
  return toOriginal({ method: onceIn(rawHeaders, 'x-original-method'), scheme, host, path });
}

const EXTENDED = /^\/authsvc\/api\/authz\/ext-authz\/([^/?]*)(.*)$/s;

/**
 * Reads a check request from Envoy. Envoy forwards the original request and puts a prefix and the application's key
 * before its path.
 *
 * @returns key: undefined if the proxy sent `-` as the key
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
