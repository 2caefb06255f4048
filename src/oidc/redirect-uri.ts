const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?((?:[/?].*)?)$/s;

/** A URI on the machine of the person, without its port; undefined for any other one, or a port that cannot be. */
function withoutPort(uri: string): string | undefined {
  const [, host, rest = ''] = LOOPBACK.exec(uri) ?? [];
  return host === undefined || !URL.canParse(uri) ? undefined : host + rest;
}

/**
 * Whether an application has registered a URI: byte by byte. A program on the machine of a person cannot choose its port,
 * so that of a public application is free there.
 *
 * @see RFC 9700 §4.1.3; RFC 8252 §7.3
 */
export function isRegistered(uri: string, registered: readonly string[], isPublic: boolean): boolean {
  if (registered.includes(uri)) return true;
  const bare = isPublic ? withoutPort(uri) : undefined;
  return bare !== undefined && registered.some((known) => withoutPort(known) === bare);
}

/** Adds parameters behind those that a URI has, which stay as they are. */
export function withParameters(uri: string, parameters: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(parameters).toString();
  if (!uri.includes('?')) return `${uri}?${query}`;
  return /[?&]$/.test(uri) ? uri + query : `${uri}&${query}`;
}
