const BEARER = /^bearer[ \t]+(tok_\S*)$/i;
const BASIC = /^basic[ \t]+([\w+/=-]+)$/i;

/**
 * The API token that an Authorization header presents: as Bearer, or as the password of Basic with any name, which is all
 * that git and WebDAV can send. Any other credential belongs to the application behind the proxy.
 */
export function tokenOf(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  const [, bearer] = BEARER.exec(authorization) ?? [];
  if (bearer !== undefined) return bearer;
  const [, encoded] = BASIC.exec(authorization) ?? [];
  const pair = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString();
  const password = pair.slice(pair.indexOf(':') + 1);
  return pair.includes(':') && password.startsWith('tok_') ? password : undefined;
}
