import { AppError } from '../errors/app-error.ts';
import type { Services } from '../http/route.ts';
import { claimsOf } from './claims.ts';
import { findToken } from './find-token.ts';
import { parseScopes } from './grant.ts';
import type { UserClaims } from './schemas.ts';

type Needs = Pick<Services, 'database' | 'registryCache' | 'grantCache' | 'accessTokenCache' | 'clock' | 'baseUrl'>;

/**
 * Returns the claims of the user for whom an access token was issued.
 *
 * @param token untrusted access token; undefined if the request has none
 * @throws AppError OIDC_TOKEN_INVALID, also for a token that is for an API; OIDC_SCOPE_MISSING
 * @see OpenID Connect Core 1.0 §5.3; RFC 6750 §3
 */
export async function userinfoOf(services: Needs, token: string | undefined): Promise<UserClaims> {
  const found = token === undefined ? undefined : await findToken(services, 'access', token);
  if (!found || found.audience !== null || found.expiresAt <= services.clock.now())
    throw new AppError('OIDC_TOKEN_INVALID', {
      challenge: token === undefined ? 'Bearer' : 'Bearer error="invalid_token"',
    });
  const scopes = parseScopes(found.scopes);
  if (!scopes.includes('openid'))
    throw new AppError('OIDC_SCOPE_MISSING', { challenge: 'Bearer error="insufficient_scope", scope="openid"' });
  return claimsOf(services, found.grant.user, scopes);
}
