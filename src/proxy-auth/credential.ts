import { isToken } from '../api-tokens/token.ts';

const BEARER = /^bearer[ \t]+(\S+)$/i;
const BASIC = /^basic[ \t]+([\w+/=-]+)$/i;

/**
 * Returns the API token in an Authorization header. The token is sent as Bearer, or as the password of Basic with
 * any username, because git and WebDAV clients can send only Basic. Any other credential belongs to the application
 * behind the proxy and is ignored.
 *
 * @param formerPrefixes value of the setting LEGACY_TOKEN_PREFIXES
 */
export function tokenOf(authorization: string | undefined, formerPrefixes: readonly string[]): string | undefined {
  if (authorization === undefined) return undefined;
  const ours = (text: string) => (text.startsWith('tok_') || isToken(text, formerPrefixes) ? text : undefined);
  const [, bearer] = BEARER.exec(authorization) ?? [];
  if (bearer !== undefined) return ours(bearer);
  const [, encoded] = BASIC.exec(authorization) ?? [];
  const pair = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString();
  return pair.includes(':') ? ours(pair.slice(pair.indexOf(':') + 1)) : undefined;
}
