import { INTERVAL_SECONDS } from './device-codes.ts';
import type { GrantUser } from './grant.ts';
import { paths } from './paths.ts';
import type { Visit } from './visit.ts';

/** A reply that replaces the library's reply. */
interface OwnReply {
  /** Undefined if the reply has the status that the library has set. */
  status?: number;
  body: object | string;
}

/** Returns the part of an introspection reply that applications may get. */
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

/** Replaces replies of the library where this service answers differently. */
export function ownReply(baseUrl: string, path: string, body: object, { tokenUser, isNameless }: Visit): OwnReply {
  if (path === paths.introspect && 'active' in body) return { body: introspected(body, tokenUser) };
  if (path === paths.deviceAuthorization && 'user_code' in body) return { body: withAddresses(baseUrl, body) };
  const error = 'error' in body ? body.error : undefined;
  // These endpoints treat an ID token like an unknown token (RFC 7009 §2.2, RFC 7662 §2.2).
  if (error === 'unsupported_token_type')
    return { status: 200, body: path === paths.introspect ? { active: false } : '' };
  // A request without client authentication gets `invalid_client` (RFC 6749 §5.2).
  if (error === 'invalid_request' && isNameless)
    return { status: 401, body: { error: 'invalid_client', error_description: 'client authentication failed' } };
  return { body };
}
