const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?((?:[/?].*)?)$/s;

/** Returns a loopback URI without its port. Returns undefined for any other URI, or if the port is invalid. */
function withoutPort(uri: string): string | undefined {
  const [, host, rest = ''] = LOOPBACK.exec(uri) ?? [];
  return host === undefined || !URL.canParse(uri) ? undefined : host + rest;
}

/**
 * Returns whether an application has registered a URI. URIs are compared byte by byte. For a public application,
 * the port of a loopback URI may differ, because a program on the user's machine cannot choose its port.
 *
 * @see RFC 9700 §4.1.3; RFC 8252 §7.3
 */
export function isRegistered(uri: string, registered: readonly string[], isPublic: boolean): boolean {
  if (registered.includes(uri)) return true;
  const bare = isPublic ? withoutPort(uri) : undefined;
  return bare !== undefined && registered.some((known) => withoutPort(known) === bare);
}

/** Appends query parameters to a URI. The existing parameters stay unchanged. */
export function withParameters(uri: string, parameters: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(parameters).toString();
  if (!uri.includes('?')) return `${uri}?${query}`;
  return /[?&]$/.test(uri) ? uri + query : `${uri}&${query}`;
}
