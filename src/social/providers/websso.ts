import * as oidc from 'openid-client';
import { AppError } from '../../errors/app-error.ts';
import type { ErrorName } from '../../errors/registry.ts';
import { MINUTE_MS } from '../../kit/clock.ts';
import type { Settings } from '../../settings/table.ts';
import { parseAccountId } from '../account-id.ts';
import { askProvider } from '../outgoing.ts';
import type { AuthorizationAnswer, AuthorizationRequest, Provider, ProviderServices } from '../provider.ts';

const DISCOVERY_LIFE_MS = 60 * MINUTE_MS;
/** Keys younger than this are not asked for again by openid-client, not even for a key id that they lack. */
const KEYS_REST_SECONDS = 60;

interface Knowledge {
  metadata: Promise<oidc.ServerMetadata>;
  learnedAt: number;
  keys?: oidc.ExportedJWKSCache;
}

/** What each process knows of its issuer: the discovery document and the keys. */
const known = new WeakMap<Settings, Knowledge>();

/** What the library calls a failure, as one of ours; every other code means that a token did not prove anything. */
const failures: Record<string, ErrorName> = {
  OAUTH_RESPONSE_IS_NOT_JSON: 'PROVIDER_ANSWER_INVALID',
  OAUTH_RESPONSE_IS_NOT_CONFORM: 'PROVIDER_ANSWER_INVALID',
  OAUTH_PARSE_ERROR: 'PROVIDER_ANSWER_INVALID',
  OAUTH_INVALID_SERVER_METADATA: 'PROVIDER_ANSWER_INVALID',
  OAUTH_MISSING_SERVER_METADATA: 'PROVIDER_ANSWER_INVALID',
  OAUTH_HTTP_REQUEST_FORBIDDEN: 'PROVIDER_ANSWER_INVALID',
  OAUTH_REQUEST_PROTOCOL_FORBIDDEN: 'PROVIDER_ANSWER_INVALID',
  OAUTH_WWW_AUTHENTICATE_CHALLENGE: 'PROVIDER_MISCONFIGURED',
  OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED: 'PROVIDER_MISCONFIGURED',
};

/** What the token endpoint refuses with (RFC 6749 §5.2). */
const refusals: Record<string, ErrorName> = {
  invalid_grant: 'PROVIDER_CODE_INVALID',
  invalid_client: 'PROVIDER_MISCONFIGURED',
  unauthorized_client: 'PROVIDER_MISCONFIGURED',
};

function nameOf(error: unknown): ErrorName {
  if (error instanceof oidc.ResponseBodyError) {
    return Object.hasOwn(refusals, error.error)
      ? (refusals[error.error] ?? 'PROVIDER_ANSWER_INVALID')
      : 'PROVIDER_ANSWER_INVALID';
  }
  if (error instanceof oidc.WWWAuthenticateChallengeError) return 'PROVIDER_MISCONFIGURED';
  if (!(error instanceof oidc.ClientError)) return 'PROVIDER_ANSWER_INVALID';
  return failures[error.code ?? ''] ?? 'PROVIDER_PROOF_INVALID';
}

/** A failure of the library, or one of ours that it has wrapped, as an AppError. */
function toAppError(error: unknown): AppError {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof AppError) return at;
  return new AppError(nameOf(error), { cause: error });
}

const ask: oidc.CustomFetch = (url, { method, headers, body }) =>
  askProvider(url, { method, headers, body: body ?? null });

/** client_secret_basic is what a provider speaks that does not say (OpenID Connect Discovery 1.0 §3). */
function authentication(secret: string): oidc.ClientAuth {
  return (server, client, body, headers) => {
    const takesPost = server.token_endpoint_auth_methods_supported?.includes('client_secret_post');
    const method = takesPost ? oidc.ClientSecretPost(secret) : oidc.ClientSecretBasic(secret);
    method(server, client, body, headers);
  };
}

const mayUseHttp = ({ WEBSSO_ISSUER, IS_DEPLOYED }: Settings): boolean =>
  !IS_DEPLOYED && WEBSSO_ISSUER.startsWith('http:');

async function discover(settings: Settings): Promise<oidc.ServerMetadata> {
  const execute = mayUseHttp(settings) ? [oidc.allowInsecureRequests] : [];
  const options = { [oidc.customFetch]: ask, execute };
  const issuer = new URL(settings.WEBSSO_ISSUER);
  const found = await oidc.discovery(issuer, settings.WEBSSO_CLIENT_ID ?? '', undefined, oidc.None(), options);
  return found.serverMetadata();
}

/** What is known of the issuer. Calls at the same time share one discovery; one that fails is not kept. */
function knowledgeOf({ settings, clock }: ProviderServices): Knowledge {
  const now = clock.now();
  const kept = known.get(settings);
  if (kept && now - kept.learnedAt < DISCOVERY_LIFE_MS) return kept;
  const fresh: Knowledge = { metadata: discover(settings), learnedAt: now };
  known.set(settings, fresh);
  fresh.metadata.catch(() => {
    if (known.get(settings) === fresh) known.delete(settings);
  });
  return fresh;
}

/**
 * The library's view of the issuer, for one sign-in.
 *
 * Why     the signature of the ID token is checked though it came over TLS: TLS tells which host answered, not which
 *         issuer signed. Keys are handed over as a little older than they are, so that a key id that they lack is
 *         asked for at once; only the provider's own answers can cause that.
 */
async function configure(services: ProviderServices, { metadata, keys }: Knowledge): Promise<oidc.Configuration> {
  const { settings } = services;
  const secret = authentication(settings.WEBSSO_CLIENT_SECRET ?? '');
  const configuration = new oidc.Configuration(await metadata, settings.WEBSSO_CLIENT_ID ?? '', undefined, secret);
  configuration[oidc.customFetch] = ask;
  oidc.enableNonRepudiationChecks(configuration);
  if (mayUseHttp(settings)) oidc.allowInsecureRequests(configuration);
  if (keys) oidc.setJwksCache(configuration, { jwks: keys.jwks, uat: keys.uat - KEYS_REST_SECONDS });
  return configuration;
}

async function startUrl(request: AuthorizationRequest, services: ProviderServices): Promise<URL> {
  try {
    return oidc.buildAuthorizationUrl(await configure(services, knowledgeOf(services)), {
      redirect_uri: request.redirectUri,
      scope: services.settings.WEBSSO_SCOPE,
      state: request.state,
      nonce: request.nonce,
      code_challenge: request.challenge,
      code_challenge_method: 'S256',
    });
  } catch (error) {
    throw toAppError(error);
  }
}

/** The address that the browser was sent to, of the public name and of what was found in it. */
function callbackUrl({ redirectUri, code, state, issuer }: AuthorizationAnswer): URL {
  const url = new URL(redirectUri);
  url.search = new URLSearchParams({ code, state, ...(issuer === undefined ? {} : { iss: issuer }) }).toString();
  return url;
}

async function subjectOf(
  answer: AuthorizationAnswer,
  services: ProviderServices,
  knowledge: Knowledge,
): Promise<unknown> {
  const configuration = await configure(services, knowledge);
  const { issuer } = configuration.serverMetadata();
  if (answer.issuer !== undefined && answer.issuer !== issuer) {
    throw new AppError('PROVIDER_PROOF_INVALID', { cause: new Error('the answer names another issuer') });
  }
  const tokens = await oidc.authorizationCodeGrant(configuration, callbackUrl(answer), {
    expectedState: answer.state,
    expectedNonce: answer.nonce,
    pkceCodeVerifier: answer.verifier,
    idTokenExpected: true,
  });
  const keys = oidc.getJwksCache(configuration);
  if (keys && keys.uat !== (knowledge.keys?.uat ?? 0) - KEYS_REST_SECONDS) knowledge.keys = keys;
  return tokens.claims()?.sub;
}

/**
 * The subject of the ID token that a code stands for. Only the ID token is looked at; all tokens are forgotten.
 *
 * Source  OpenID Connect Core 1.0 §3.1.3.7; RFC 9207 §2.4; RFC 9700 §2.1.1; ASVS 5.0 10.5.1 to 10.5.4
 */
async function accountId(answer: AuthorizationAnswer, services: ProviderServices): Promise<string> {
  const knowledge = knowledgeOf(services);
  try {
    return parseAccountId(await subjectOf(answer, services, knowledge));
  } catch (error) {
    if (known.get(services.settings) === knowledge) known.delete(services.settings);
    throw toAppError(error);
  }
}

/** Sign-in through an OpenID Provider: Google, or by its settings any issuer with discovery. */
export const websso: Provider = {
  name: 'websso',
  isEnabled: (settings) => settings.WEBSSO_LOGIN_ENABLED,
  hasCredentials: (settings) => Boolean(settings.WEBSSO_CLIENT_ID && settings.WEBSSO_CLIENT_SECRET),
  startUrl,
  accountId,
};
