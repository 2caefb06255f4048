import * as oidc from 'openid-client';
import { AppError } from '../errors/app-error.ts';
import type { ErrorName } from '../errors/registry.ts';
import { MINUTE_MS } from '../kit/clock.ts';
import { askProvider } from './outgoing.ts';
import type { AuthorizationAnswer, AuthorizationRequest } from './provider.ts';

const DISCOVERY_LIFE_MS = 60 * MINUTE_MS;
/** Keys younger than this are not asked for again by openid-client, not even for a key id that they lack. */
const KEYS_REST_SECONDS = 60;

/** An OpenID Provider, and what we are to it. */
export interface Issuer {
  url: string;
  clientId: string;
  clientSecret: string;
  scope: string;
  mayUseHttp: boolean;
}

/** What is known of an issuer: the discovery document and the keys. */
interface Facts {
  metadata: Promise<oidc.ServerMetadata>;
  learnedAt: number;
  keys?: oidc.ExportedJWKSCache;
}

/** Where a process keeps what it learned, by the address of the issuer. */
export type KnownIssuers = Map<string, Facts>;

interface Context {
  known: KnownIssuers;
  now: number;
}

/** What the library calls a failure, as one of ours; every other code means that a token did not prove anything. */
const failures: Record<string, ErrorName> = {
  OAUTH_RESPONSE_IS_NOT_JSON: 'PROVIDER_ANSWER_INVALID',
  OAUTH_RESPONSE_IS_NOT_CONFORM: 'PROVIDER_ANSWER_INVALID',
  OAUTH_PARSE_ERROR: 'PROVIDER_ANSWER_INVALID',
  OAUTH_INVALID_SERVER_METADATA: 'PROVIDER_ANSWER_INVALID',
  OAUTH_MISSING_SERVER_METADATA: 'PROVIDER_ANSWER_INVALID',
  OAUTH_HTTP_REQUEST_FORBIDDEN: 'PROVIDER_ANSWER_INVALID',
  OAUTH_REQUEST_PROTOCOL_FORBIDDEN: 'PROVIDER_ANSWER_INVALID',
  OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED: 'PROVIDER_MISCONFIGURED',
};

/** What the token endpoint refuses with (RFC 6749 §5.2). */
const refusals: Record<string, ErrorName> = {
  invalid_grant: 'PROVIDER_CODE_INVALID',
  invalid_client: 'PROVIDER_MISCONFIGURED',
  unauthorized_client: 'PROVIDER_MISCONFIGURED',
};

const lookUp = (table: Record<string, ErrorName>, key: string): ErrorName | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;

function nameOf(error: unknown): ErrorName {
  if (error instanceof oidc.WWWAuthenticateChallengeError) return 'PROVIDER_MISCONFIGURED';
  if (error instanceof oidc.ResponseBodyError) return lookUp(refusals, error.error) ?? 'PROVIDER_ANSWER_INVALID';
  if (!(error instanceof oidc.ClientError)) return 'PROVIDER_ANSWER_INVALID';
  return lookUp(failures, error.code ?? '') ?? 'PROVIDER_PROOF_INVALID';
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

async function discover({ url, clientId, mayUseHttp }: Issuer): Promise<oidc.ServerMetadata> {
  const options = { [oidc.customFetch]: ask, execute: mayUseHttp ? [oidc.allowInsecureRequests] : [] };
  const found = await oidc.discovery(new URL(url), clientId, undefined, oidc.None(), options);
  return found.serverMetadata();
}

/** What is known of the issuer. Calls at the same time share one discovery; one that fails is not kept. */
function factsOf(issuer: Issuer, { known, now }: Context): Facts {
  const kept = known.get(issuer.url);
  if (kept && now - kept.learnedAt < DISCOVERY_LIFE_MS) return kept;
  const fresh: Facts = { metadata: discover(issuer), learnedAt: now };
  known.set(issuer.url, fresh);
  fresh.metadata.catch(() => forget(issuer, known, fresh));
  return fresh;
}

function forget({ url }: Issuer, known: KnownIssuers, facts: Facts): void {
  if (known.get(url) === facts) known.delete(url);
}

/**
 * The library's view of the issuer, for one sign-in.
 *
 * Why     the signature of the ID token is checked though it came over TLS: TLS tells which host answered, not which
 *         issuer signed. Keys are handed over as a little older than they are, so that a key id that they lack is
 *         asked for at once; only the provider's own answers can cause that.
 */
async function configure(issuer: Issuer, { metadata, keys }: Facts): Promise<oidc.Configuration> {
  const secret = authentication(issuer.clientSecret);
  const configuration = new oidc.Configuration(await metadata, issuer.clientId, undefined, secret);
  configuration[oidc.customFetch] = ask;
  oidc.enableNonRepudiationChecks(configuration);
  if (issuer.mayUseHttp) oidc.allowInsecureRequests(configuration);
  if (keys) oidc.setJwksCache(configuration, { jwks: keys.jwks, uat: keys.uat - KEYS_REST_SECONDS });
  return configuration;
}

/**
 * The page of an OpenID Provider that asks the person.
 *
 * Throws  AppError PROVIDER_… when the discovery document is needed first, and cannot be had or used.
 * Source  OpenID Connect Core 1.0 §3.1.2.1; OpenID Connect Discovery 1.0 §4
 */
export async function authorizationUrl(issuer: Issuer, request: AuthorizationRequest, context: Context): Promise<URL> {
  try {
    return oidc.buildAuthorizationUrl(await configure(issuer, factsOf(issuer, context)), {
      redirect_uri: request.redirectUri,
      scope: issuer.scope,
      state: request.state,
      nonce: request.nonce,
      code_challenge: request.challenge,
      code_challenge_method: 'S256',
    });
  } catch (error) {
    throw toAppError(error);
  }
}

/** The address that the browser came back to: its public name, and what was found in it. */
function callbackUrl({ redirectUri, code, state, issuer }: AuthorizationAnswer): URL {
  const url = new URL(redirectUri);
  url.search = new URLSearchParams({ code, state, ...(issuer === undefined ? {} : { iss: issuer }) }).toString();
  return url;
}

async function exchange(issuer: Issuer, answer: AuthorizationAnswer, facts: Facts): Promise<unknown> {
  const configuration = await configure(issuer, facts);
  if (answer.issuer !== undefined && answer.issuer !== configuration.serverMetadata().issuer) {
    throw new AppError('PROVIDER_PROOF_INVALID', { cause: new Error('the answer names another issuer') });
  }
  const tokens = await oidc.authorizationCodeGrant(configuration, callbackUrl(answer), {
    expectedState: answer.state,
    expectedNonce: answer.nonce,
    pkceCodeVerifier: answer.verifier,
    idTokenExpected: true,
  });
  const keys = oidc.getJwksCache(configuration);
  const areNew = keys?.uat !== (facts.keys?.uat ?? 0) - KEYS_REST_SECONDS;
  if (keys && areNew) facts.keys = keys;
  return tokens.claims()?.sub;
}

/**
 * The subject of the ID token that a code stands for. Only the ID token is looked at; all tokens are forgotten.
 *
 * Throws  AppError PROVIDER_PROOF_INVALID for a token with a wrong signature, issuer, audience, nonce or time, or none.
 * Why     a failure of any kind forgets what is known of the issuer, so that a change there heals by itself.
 * Source  OpenID Connect Core 1.0 §3.1.3.7; RFC 9207 §2.4; RFC 9700 §2.1.1; ASVS 5.0 10.5.1 to 10.5.4
 */
export async function subjectOf(issuer: Issuer, answer: AuthorizationAnswer, context: Context): Promise<unknown> {
  const facts = factsOf(issuer, context);
  try {
    return await exchange(issuer, answer, facts);
  } catch (error) {
    forget(issuer, context.known, facts);
    throw toAppError(error);
  }
}
