import * as oidc from 'openid-client';
import { AppError } from '../errors/app-error.ts';
import { errorRegistry } from '../errors/registry.ts';
import { isRecent, MINUTE_MS } from '../lib/clock.ts';
import { discover } from './discovery.ts';
import { fault, fieldNames, logText, quoted } from './fault.ts';
import { verifyIdToken } from './id-token.ts';
import { createIssuerKeys } from './issuer-keys.ts';
import { describeEndpoint, type Endpoint, requestProvider } from './outgoing.ts';
import type { AuthorizationAnswer, AuthorizationRequest } from './provider.ts';
import { readTokenAnswer } from './token-endpoint.ts';

const DISCOVERY_LIFE_MS = 60 * MINUTE_MS;
/** The least time between two fetches of the discovery document after failed sign-ins. */
const REST_MS = 10_000;
/** How far the provider's clock may be ahead of ours. */
const CLOCK_TOLERANCE_SECONDS = 30;

/** An OpenID Provider, and this service's client there. */
export interface Issuer {
  url: string;
  clientId: string;
  clientSecret: string;
  scope: string;
  mayUseHttp: boolean;
  /** The key of the setting that contains the issuer, for the log. */
  setting: string;
}

/** The cached discovery document and keys of an issuer. */
interface Facts {
  metadata: Promise<oidc.ServerMetadata>;
  keys: Promise<ReturnType<typeof createIssuerKeys>>;
  learnedAt: number;
  /** Whether a sign-in with these facts has failed. If so, the next sign-in fetches the facts again. */
  isDoubted: boolean;
  /** Whether these facts were fetched because a sign-in with the previous facts had failed. */
  isSecondLook: boolean;
}

/** The cache for one issuer. */
export interface Knowledge {
  facts?: Facts | undefined;
}

interface Context {
  known: Knowledge;
  now: number;
}

/**
 * Authenticates the client with client_secret_post if the provider lists it, else with client_secret_basic, the default
 * (OpenID Connect Discovery 1.0 §3).
 */
function authentication(secret: string): oidc.ClientAuth {
  return (server, client, body, headers) => {
    const takesPost = server.token_endpoint_auth_methods_supported?.includes('client_secret_post');
    const method = takesPost ? oidc.ClientSecretPost(secret) : oidc.ClientSecretBasic(secret);
    method(server, client, body, headers);
  };
}

/**
 * Returns the cached facts about an issuer, or fetches them. Simultaneous calls share one fetch. A failed fetch is not
 * cached.
 */
function factsOf(issuer: Issuer, { known, now }: Context): Facts {
  const kept = known.facts && isRecent(known.facts.learnedAt, { now, ms: DISCOVERY_LIFE_MS }) ? known.facts : undefined;
  if (kept && !kept.isDoubted) return kept;
  const metadata = discover(issuer);
  const keys = metadata.then(({ jwks_uri: url = '' }) =>
    createIssuerKeys({ url, name: 'address of the keys', setting: issuer.setting }),
  );
  const fresh: Facts = {
    metadata,
    keys,
    learnedAt: now,
    isDoubted: false,
    isSecondLook: kept !== undefined,
  };
  known.facts = fresh;
  keys.catch(() => forget(known, fresh));
  return fresh;
}

function forget(known: Knowledge, facts: Facts): void {
  if (known.facts === facts) known.facts = undefined;
}

/** Creates the configuration of the OpenID Connect library for one sign-in. */
function configure(issuer: Issuer, metadata: oidc.ServerMetadata): oidc.Configuration {
  const secret = authentication(issuer.clientSecret);
  const configuration = new oidc.Configuration(metadata, issuer.clientId, undefined, secret);
  if (issuer.mayUseHttp) oidc.allowInsecureRequests(configuration);
  return configuration;
}

/** Formats the value of a claim for the log. */
const shown = (value: unknown): string => quoted(typeof value === 'string' ? value : (JSON.stringify(value) ?? 'none'));

/** The claims whose values may be logged. */
const SHOWN_CLAIMS = ['iss', 'aud', 'azp'];

/**
 * Describes for the log what the library found wrong. The cause of the library's error contains the values that it
 * compared.
 */
function describeFinding(error: Error): string {
  const { message, cause: facts } = error.cause instanceof Error ? error.cause : error;
  const words = `the answer or its ID token is not valid: ${logText(message)}`;
  if (typeof facts !== 'object' || facts === null || !('claims' in facts)) return words;
  const claims = typeof facts.claims === 'object' && facts.claims !== null ? { ...facts.claims } : {};
  const claim = 'claim' in facts && typeof facts.claim === 'string' ? facts.claim : '';
  const found: unknown = Object.hasOwn(claims, claim) ? Reflect.get(claims, claim) : undefined;
  if (SHOWN_CLAIMS.includes(claim) && 'expected' in facts)
    return `${words}: ${claim} is ${shown(found)}, expected ${shown(facts.expected)}`;
  if (typeof found === 'number' && 'now' in facts && typeof facts.now === 'number')
    return `${words}: ${claim} is ${found - facts.now} s from now; compare the clocks of both machines`;
  return `${words}; its claims are ${fieldNames(claims)}`;
}

/**
 * Converts an error of the library to an AppError. If the library has wrapped one of our own AppErrors, returns that one.
 */
function toAppError(error: unknown): AppError {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof AppError) return at;
  if (error instanceof oidc.ClientError) return fault('PROVIDER_PROOF_INVALID', describeFinding(error));
  return new AppError('PROVIDER_ANSWER_INVALID', { cause: error });
}

/**
 * Calls a function with the facts about the issuer.
 *
 * After a failed sign-in, the next one fetches the facts again, so that authsvc notices changes at the provider. Any
 * browser can cause a refusal, which has a status below 500. So a refusal within ten seconds after such a fetch does not
 * cause another fetch.
 *
 * @throws AppError PROVIDER_… for every failure
 */
async function withFacts<T>(issuer: Issuer, { known, now }: Context, use: (facts: Facts) => Promise<T>): Promise<T> {
  const facts = factsOf(issuer, { known, now });
  try {
    return await use(facts);
  } catch (error) {
    const failure = toAppError(error);
    const isRefusal = errorRegistry[failure.code].status < 500;
    const isResting = facts.isSecondLook && isRecent(facts.learnedAt, { now, ms: REST_MS });
    if (!isRefusal) forget(known, facts);
    else if (!isResting) facts.isDoubted = true;
    throw failure;
  }
}

/**
 * Creates the URL of the provider's page on which the person signs in and agrees.
 *
 * @throws AppError PROVIDER_… if the discovery document cannot be fetched or cannot be used
 * @see OpenID Connect Core 1.0 §3.1.2.1
 */
export function authorizationUrl(issuer: Issuer, request: AuthorizationRequest, context: Context): Promise<URL> {
  return withFacts(issuer, context, async ({ metadata }) =>
    oidc.buildAuthorizationUrl(configure(issuer, await metadata), {
      redirect_uri: request.redirectUri,
      scope: issuer.scope,
      state: request.state,
      nonce: request.nonce,
      code_challenge: request.challenge,
      code_challenge_method: 'S256',
    }),
  );
}

/** Rebuilds the URL of the callback from the public address and the checked query parameters. */
function callbackUrl({ redirectUri, code, state, issuer }: AuthorizationAnswer): URL {
  const url = new URL(redirectUri);
  url.search = new URLSearchParams({ code, state, ...(issuer === undefined ? {} : { iss: issuer }) }).toString();
  return url;
}

/** Checks that the issuer in the callback, if there is one, is the expected issuer (RFC 9207 §2.4). */
function checkAnsweringIssuer({ issuer }: AuthorizationAnswer, metadata: oidc.ServerMetadata): void {
  if (issuer === undefined || issuer === metadata.issuer) return;
  const words = `the answer names the issuer ${quoted(issuer)}, expected ${quoted(metadata.issuer)}`;
  throw fault('PROVIDER_PROOF_INVALID', words);
}

/** Checks the claims that the library leaves to its caller (OpenID Connect Core 1.0 §2, §3.1.3.7). */
function checkFurther({ azp, iat = 0 }: Partial<oidc.IDToken>, { clientId }: Issuer, now: number): void {
  if (azp !== undefined && azp !== clientId)
    throw fault('PROVIDER_PROOF_INVALID', `the ID token was made for the client ${shown(azp)}, not ${shown(clientId)}`);
  const ahead = Math.round(iat - now / 1000);
  if (ahead > CLOCK_TOLERANCE_SECONDS) {
    const words = `the ID token was issued ${ahead} s in the future; compare the clocks of both machines`;
    throw fault('PROVIDER_PROOF_INVALID', words);
  }
}

/**
 * Creates the fetch function with which the library calls the token endpoint.
 *
 * It gives the library only the part of the reply that a sign-in uses: the ID token, whose signature it has verified.
 * Access tokens, refresh tokens and other optional fields are removed, so that unusual values in them cannot make the
 * sign-in fail.
 */
function askForTokens(
  issuer: Issuer,
  { code, verifier }: AuthorizationAnswer,
  verify: (token: string) => Promise<string>,
): oidc.CustomFetch {
  return async (url, { method, headers, body }) => {
    const endpoint: Endpoint = { url, name: 'token endpoint', setting: issuer.setting };
    const response = await requestProvider(endpoint, { method, headers, body: body ?? null });
    const fields = await readTokenAnswer(response, endpoint, [code, verifier, issuer.clientSecret]);
    const { id_token: token } = fields;
    if (typeof token !== 'string') {
      const words = `${describeEndpoint(endpoint)} sent no id_token; it sent the fields ${fieldNames(fields)}`;
      throw fault('PROVIDER_MISCONFIGURED', words);
    }
    return Response.json({ access_token: 'unused', token_type: 'bearer', id_token: await verify(token) });
  };
}

/**
 * Exchanges a code and returns the subject of the ID token. Only the ID token is used, and no token is stored.
 *
 * @throws AppError PROVIDER_PROOF_INVALID for a token with a wrong signature, issuer, audience, nonce or time; PROVIDER_…
 *   if the provider refuses the request
 * @see OpenID Connect Core 1.0 §3.1.3.7; RFC 9207 §2.4; RFC 9700 §2.1.1; ASVS 5.0 10.5.1 to 10.5.4
 */
export function subjectOf(issuer: Issuer, answer: AuthorizationAnswer, context: Context): Promise<unknown> {
  return withFacts(issuer, context, async (facts) => {
    const [metadata, keys] = await Promise.all([facts.metadata, facts.keys]);
    checkAnsweringIssuer(answer, metadata);
    const configuration = configure(issuer, metadata);
    configuration[oidc.customFetch] = askForTokens(issuer, answer, (token) =>
      verifyIdToken(token, { metadata, clientSecret: issuer.clientSecret, keys: keys.at(context.now) }),
    );
    const tokens = await oidc.authorizationCodeGrant(configuration, callbackUrl(answer), {
      expectedState: answer.state,
      expectedNonce: answer.nonce,
      pkceCodeVerifier: answer.verifier,
      idTokenExpected: true,
    });
    const claims: Partial<oidc.IDToken> = tokens.claims() ?? {};
    checkFurther(claims, issuer, context.now);
    return claims.sub;
  });
}
