import { isIPv4, isIPv6 } from 'node:net';

const WITH_PORT = /^(?:(?<v4>[\d.]+):\d{1,5}|\[(?<v6>[^\]]+)\](?::\d{1,5})?)$/;

/**
 * Parses an address in any notation that proxies use: with a port, in brackets, or with a zone.
 *
 * @returns the address alone, or undefined if the text contains none. A zone is dropped, because it has a meaning
 * on only one machine, and the sender can write anything there
 * @see RFC 7239 §6; RFC 3986 §3.2.2; RFC 4007 §11
 */
export function parseAddress(text: string): string | undefined {
  const trimmed = text.trim();
  const { v4 = trimmed, v6 = trimmed } = WITH_PORT.exec(trimmed)?.groups ?? {};
  if (isIPv4(v4)) return v4;
  return isIPv6(v6) ? v6.replace(/%.*/, '') : undefined;
}
