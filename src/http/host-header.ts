import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import { AppError } from '../errors/app-error.ts';

/** A name, an IPv4 address, or an IPv6 one in brackets, with a port or without. Names may be odd: those of containers are. */
const HOST = /^(?:\[(?<v6>[^\]]+)\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(?::\d*)?$/i;

function isHost(text: string): boolean {
  const found = HOST.exec(text);
  const v6 = found?.groups?.v6;
  return found !== null && (v6 === undefined || isIPv6(v6.replace('%25', '%')));
}

/**
 * Refuses a request that does not say which host it is for, or says it in two ways: a proxy may have read it otherwise.
 *
 * Throws  AppError REQUEST_MALFORMED. HTTP/1.0 may leave the line out.
 * Source  RFC 9112 §3.2; RFC 3986 §3.2.2; RFC 6874 §2
 */
export function requireHost({ rawHeaders, headers, httpVersion }: IncomingMessage): void {
  const lines = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length;
  const isAbsentRightly = lines === 0 && httpVersion !== '1.1';
  if (!isAbsentRightly && (lines !== 1 || !isHost(headers.host ?? ''))) throw new AppError('REQUEST_MALFORMED');
}
