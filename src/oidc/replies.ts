import { INTERVAL_SECONDS } from './device-codes.ts';
import type { GrantUser } from './grant.ts';
import { paths } from './paths.ts';
import type { Visit } from './visit.ts';

/** What we answer where the library would answer otherwise. */
interface OwnReply {
  /** Undefined: that of the library. */
  status?: number;
  body: object | string;
}

/** What an application may know of a token. */
function introspected(body: object, user: GrantUser | undefined): Record<string, unknown> {
  const { active, client_id, sub, scope, exp, iat, iss, aud, token_type } = Object(body);
  if (active !== true) return { active: false };
  const person = user ? { username: user.username, roles: [user.role] } : {};
  return { active, client_id, sub, ...person, scope, exp, iat, iss, aud, token_type };
}

function withAddresses(baseUrl: string, body: { user_code: unknown }): object {
  const uri = baseUrl + paths.device;
  const whole = `${uri}?user_code=${encodeURIComponent(String(body.user_code))}`;
  return { ...body, verification_uri: uri, verification_uri_complete: whole, interval: INTERVAL_SECONDS };
}

/** Turns a reply of the library to an application into ours. */
export function ownReply(baseUrl: string, path: string, body: object, { tokenUser, isNameless }: Visit): OwnReply {
  if (path === paths.introspect && 'active' in body) return { body: introspected(body, tokenUser) };
  if (path === paths.deviceAuthorization && 'user_code' in body) return { body: withAddresses(baseUrl, body) };
  const error = 'error' in body ? body.error : undefined;
  // An ID token is no token that these endpoints know (RFC 7009 §2.2, RFC 7662 §2.2).
  if (error === 'unsupported_token_type')
    return { status: 200, body: path === paths.introspect ? { active: false } : '' };
  // RFC 6749 §5.2: no client authentication included.
  if (error === 'invalid_request' && isNameless)
    return { status: 401, body: { error: 'invalid_client', error_description: 'client authentication failed' } };
  return { body };
}
