import * as oidc from 'openid-client';
import { AppError } from '../errors/app-error.ts';
import { type ErrorName, errorRegistry } from '../errors/registry.ts';
import { MINUTE_MS } from '../lib/clock.ts';
import { readJsonObject, requestProvider } from './outgoing.ts';
import type { AuthorizationAnswer, AuthorizationRequest } from './provider.ts';
import { tokenRefusal } from './token-refusal.ts';

const DISCOVERY_LIFE_MS = 60 * MINUTE_MS;
/** Refusal after refusal, and one made-up key id after another, make us ask the provider anew no more often than this. */
const REST_SECONDS = 10;
/** Keys younger than this are not asked for again by openid-client, not even for a key id that they lack. */
const LIBRARY_REST_SECONDS = 60;
/** How far the provider's clock may be ahead of ours. */
const CLOCK_TOLERANCE_SECONDS = 30;

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
  /** A sign-in was refused with it: the next one asks anew. */
  isDoubted: boolean;
  /** It was learned because what was known before was doubted. */
  isSecondLook: boolean;
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

function nameOf(error: unknown): ErrorName {
  if (!(error instanceof oidc.ClientError)) return 'PROVIDER_ANSWER_INVALID';
  const code = error.code ?? '';
  return (Object.hasOwn(failures, code) ? failures[code] : undefined) ?? 'PROVIDER_PROOF_INVALID';
}

/** A failure of the library, or one of ours that it has wrapped, as an AppError. */
function toAppError(error: unknown): AppError {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof AppError) return at;
  if (error instanceof oidc.ResponseBodyError) return tokenRefusal(error.error);
  return new AppError(nameOf(error), { cause: error });
}

/** Whatever the library asks for is a JSON object. */
const ask: oidc.CustomFetch = async (url, { method, headers, body }) => {
  const response = await requestProvider(url, { method, headers, body: body ?? null });
  if (response.ok) await readJsonObject(response.clone());
  return response;
};

/** client_secret_basic is what a provider speaks that does not say (OpenID Connect Discovery 1.0 §3). */
function authentication(secret: string): oidc.ClientAuth {
  return (server, client, body, headers) => {
    const takesPost = server.token_endpoint_auth_methods_supported?.includes('client_secret_post');
    const method = takesPost ? oidc.ClientSecretPost(secret) : oidc.ClientSecretBasic(secret);
    method(server, client, body, headers);
  };
}

function checkEndpoints(metadata: oidc.ServerMetadata, mayUseHttp: boolean): void {
  for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const) {
    const address: unknown = metadata[name];
    const url = typeof address === 'string' && URL.canParse(address) ? new URL(address) : undefined;
    if (url?.protocol === 'https:' || (mayUseHttp && url?.protocol === 'http:')) continue;
    throw new AppError('PROVIDER_ANSWER_INVALID', { cause: new Error(`the discovery document has no usable ${name}`) });
  }
}

async function discover({ url, clientId, mayUseHttp }: Issuer): Promise<oidc.ServerMetadata> {
  const options = { [oidc.customFetch]: ask, execute: mayUseHttp ? [oidc.allowInsecureRequests] : [] };
  const found = await oidc.discovery(new URL(url), clientId, undefined, oidc.None(), options);
  const metadata = found.serverMetadata();
  checkEndpoints(metadata, mayUseHttp);
  return metadata;
}

/** What is known of the issuer. Calls at the same time share one discovery; one that fails is not kept. */
function factsOf(issuer: Issuer, { known, now }: Context): Facts {
  const kept = known.get(issuer.url);
  if (kept && !kept.isDoubted && now - kept.learnedAt < DISCOVERY_LIFE_MS) return kept;
  const isSecondLook = kept?.isDoubted ?? false;
  const fresh: Facts = { metadata: discover(issuer), learnedAt: now, isDoubted: false, isSecondLook };
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
 *         issuer signed.
 */
async function configure(issuer: Issuer, { metadata, keys }: Facts): Promise<oidc.Configuration> {
  const secret = authentication(issuer.clientSecret);
  const configuration = new oidc.Configuration(await metadata, issuer.clientId, undefined, secret);
  configuration[oidc.customFetch] = ask;
  oidc.enableNonRepudiationChecks(configuration);
  if (issuer.mayUseHttp) oidc.allowInsecureRequests(configuration);
  if (keys) oidc.setJwksCache(configuration, keys);
  return configuration;
}

/**
 * Keeps the keys that the library has fetched.
 *
 * Why     they count as older than they are, so that the library asks anew for a key id that they lack: at once if they
 *         are the first, after a rest if they are renewed.
 */
function keepKeys(facts: Facts, configuration: oidc.Configuration): void {
  const fetched = oidc.getJwksCache(configuration);
  if (!fetched || fetched.uat === facts.keys?.uat) return;
  const age = facts.keys ? LIBRARY_REST_SECONDS - REST_SECONDS : LIBRARY_REST_SECONDS;
  facts.keys = { ...fetched, uat: fetched.uat - age };
}

/**
 * Does something with what is known of the issuer.
 *
 * Throws  AppError PROVIDER_… for whatever fails.
 * Why     after a failure the next sign-in asks anew, so that a change at the provider heals by itself. A refusal can be
 *         brought about by any browser: after a second look that is no older than the rest it changes nothing.
 */
async function withFacts<T>(issuer: Issuer, { known, now }: Context, use: (facts: Facts) => Promise<T>): Promise<T> {
  const facts = factsOf(issuer, { known, now });
  try {
    return await use(facts);
  } catch (error) {
    const failure = toAppError(error);
    const isRefusal = errorRegistry[failure.code].status < 500;
    const isResting = facts.isSecondLook && now - facts.learnedAt < REST_SECONDS * 1000;
    if (!isRefusal) forget(issuer, known, facts);
    else if (!isResting) facts.isDoubted = true;
    throw failure;
  }
}

/**
 * The page of an OpenID Provider that asks the person.
 *
 * Throws  AppError PROVIDER_… when the discovery document is needed first, and cannot be had or used.
 * Source  OpenID Connect Core 1.0 §3.1.2.1; OpenID Connect Discovery 1.0 §4
 */
export function authorizationUrl(issuer: Issuer, request: AuthorizationRequest, context: Context): Promise<URL> {
  return withFacts(issuer, context, async (facts) =>
    oidc.buildAuthorizationUrl(await configure(issuer, facts), {
      redirect_uri: request.redirectUri,
      scope: issuer.scope,
      state: request.state,
      nonce: request.nonce,
      code_challenge: request.challenge,
      code_challenge_method: 'S256',
    }),
  );
}

/** The address that the browser came back to: its public name, and what was found in it. */
function callbackUrl({ redirectUri, code, state, issuer }: AuthorizationAnswer): URL {
  const url = new URL(redirectUri);
  url.search = new URLSearchParams({ code, state, ...(issuer === undefined ? {} : { iss: issuer }) }).toString();
  return url;
}

function refuseProof(why: string): never {
  throw new AppError('PROVIDER_PROOF_INVALID', { cause: new Error(why) });
}

/** What the library leaves to its caller (OpenID Connect Core 1.0 §2, §3.1.3.7). */
function checkFurther({ azp, iat = 0 }: Partial<oidc.IDToken>, { clientId }: Issuer, now: number): void {
  if (azp !== undefined && azp !== clientId) refuseProof('the ID token was made for another client');
  if (iat > now / 1000 + CLOCK_TOLERANCE_SECONDS) refuseProof('the ID token was issued in the future');
}

/**
 * The subject of the ID token that a code stands for. Only the ID token is looked at; all tokens are forgotten.
 *
 * Throws  AppError PROVIDER_PROOF_INVALID for a token with a wrong signature, issuer, audience, nonce or time, or none.
 * Source  OpenID Connect Core 1.0 §3.1.3.7; RFC 9207 §2.4; RFC 9700 §2.1.1; ASVS 5.0 10.5.1 to 10.5.4
 */
export function subjectOf(issuer: Issuer, answer: AuthorizationAnswer, context: Context): Promise<unknown> {
  return withFacts(issuer, context, async (facts) => {
    const configuration = await configure(issuer, facts);
    const isOther = answer.issuer !== undefined && answer.issuer !== configuration.serverMetadata().issuer;
    if (isOther) refuseProof('the answer names another issuer');
    const asked = oidc.authorizationCodeGrant(configuration, callbackUrl(answer), {
      expectedState: answer.state,
      expectedNonce: answer.nonce,
      pkceCodeVerifier: answer.verifier,
      idTokenExpected: true,
    });
    const tokens = await asked.finally(() => keepKeys(facts, configuration));
    const claims: Partial<oidc.IDToken> = tokens.claims() ?? {};
    checkFurther(claims, issuer, context.now);
    return claims.sub;
  });
}
