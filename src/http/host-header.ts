import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import { AppError } from '../errors/app-error.ts';

/**
 * Matches a name, an IPv4 address, or an IPv6 address in brackets, with or without a port. Unusual characters are
 * accepted, because containers can have such names.
 */
const HOST = /^(?:\[([^\]]+)\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(?::\d*)?$/i;

function isHost(text: string): boolean {
  const found = HOST.exec(text);
  return found !== null && (found[1] === undefined || isIPv6(found[1].replace('%25', '%')));
}

/** Counts the Host headers. Compares the length of a name first, because that is fast. */
function countHostLines(rawHeaders: readonly string[]): number {
  let lines = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') lines += 1;
  }
  return lines;
}

/**
 * Refuses a request unless it has exactly one valid Host header. If there are two, a proxy may have used one and this
 * service the other. HTTP/1.0 requests may have none.
 *
 * @throws AppError REQUEST_MALFORMED
 * @see RFC 9112 §3.2; RFC 3986 §3.2.2; RFC 6874 §2
 */
export function requireHost({ rawHeaders, headers, httpVersion }: IncomingMessage): void {
  const lines = countHostLines(rawHeaders);
  const isAbsentRightly = lines === 0 && httpVersion !== '1.1';
  if (!isAbsentRightly && (lines !== 1 || !isHost(headers.host ?? ''))) throw new AppError('REQUEST_MALFORMED');
}
