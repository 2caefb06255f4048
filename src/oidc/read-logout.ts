import type { Application } from '../applications/application.ts';
import { findRegistry } from '../applications/registry.ts';
import { AppError } from '../errors/app-error.ts';
import type { Services } from '../http/route.ts';
import { openJwt } from './jwt.ts';
import { getAllKeys, type KeyNeeds } from './keys.ts';
import { isRegistered, withParameters } from './redirect-uri.ts';

type Needs = KeyNeeds & Pick<Services, 'registryCache' | 'baseUrl'>;

/** A sign-out that an application requests. */
export interface LogoutRequest {
  /** The subject of the user to sign out; undefined if the application sent no ID token. */
  sub: string | undefined;
  /** The URL to redirect to after the sign-out, including `state`; undefined if the application sent none. */
  target: string | undefined;
}

const refused = () => new AppError('OIDC_LOGOUT_INVALID');

/**
 * Returns the application and the user of an ID token from this service. The token may have expired, and its key may be
 * retired.
 */
async function readHint(services: Needs, token: string): Promise<{ key: string; sub: string }> {
  const keys = (await getAllKeys(services)).map(({ id, alg, publicJwk }) => ({ id, alg, jwk: publicJwk }));
  const { iss, aud, sub } = openJwt(keys, token) ?? {};
  if (iss !== services.baseUrl() || typeof aud !== 'string' || typeof sub !== 'string') throw refused();
  return { key: aud, sub };
}

function targetOf(application: Application | undefined, uri: string, state: string): string | undefined {
  if (uri === '') return undefined;
  if (!application || !isRegistered(uri, application.postLogoutRedirectUris, application.isPublic)) throw refused();
  return state === '' ? uri : withParameters(uri, { state });
}

/**
 * Parses a sign-out request of an application.
 *
 * @param parameters untrusted; a parameter that is sent twice is an error
 * @throws AppError OIDC_LOGOUT_INVALID
 * @see OpenID Connect RP-Initiated Logout 1.0 §2
 */
export async function readLogout(services: Needs, parameters: URLSearchParams): Promise<LogoutRequest> {
  const one = (name: string): string => {
    const values = parameters.getAll(name);
    if (values.length > 1) throw refused();
    return values[0] ?? '';
  };
  const [clientId, hint] = [one('client_id'), one('id_token_hint')];
  const named = hint === '' ? undefined : await readHint(services, hint);
  if (named && clientId !== '' && clientId !== named.key) throw refused();
  const key = named?.key ?? clientId;
  const application = (await findRegistry(services)).active.get(key);
  if (key !== '' && !application) throw refused();
  return { sub: named?.sub, target: targetOf(application, one('post_logout_redirect_uri'), one('state')) };
}
