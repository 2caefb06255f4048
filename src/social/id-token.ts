import { base64url, compactVerify, decodeProtectedHeader } from 'jose';
import type { ServerMetadata } from 'openid-client';
import { AppError } from '../errors/app-error.ts';
import { fault, logText } from './fault.ts';
import type { IssuerKeys } from './issuer-keys.ts';
import { withoutNulls } from './outgoing.ts';

/** The supported signature algorithms. `none` is missing because an unsigned token proves nothing. */
const SUPPORTED = /^(?:(?:RS|PS|ES|HS)(?:256|384|512)|EdDSA|Ed25519)$/;
/** The algorithm of a provider whose metadata lists none (OpenID Connect Core 1.0 §2). */
const DEFAULT_ALGORITHMS = ['RS256'];
/** The claims that a sign-in uses. */
const USED_CLAIMS = ['iss', 'sub', 'aud', 'exp', 'iat', 'nbf', 'nonce', 'azp'];

const refuse = (words: string) => fault('PROVIDER_PROOF_INVALID', words);

/** Returns the algorithm with which a token is signed. Throws if the provider's metadata does not list it. */
function signingAlgorithm(token: string, { id_token_signing_alg_values_supported: listed }: ServerMetadata): string {
  if (token.split('.').length === 5)
    throw fault('PROVIDER_MISCONFIGURED', 'the ID token is encrypted; set the client to signed tokens at the provider');
  let algorithm: unknown;
  try {
    algorithm = decodeProtectedHeader(token).alg;
  } catch {
    throw refuse('the ID token is not a JWT');
  }
  const expected = Array.isArray(listed) ? listed.map(String) : DEFAULT_ALGORITHMS;
  if (typeof algorithm === 'string' && SUPPORTED.test(algorithm) && expected.includes(algorithm)) return algorithm;
  const found = typeof algorithm === 'string' ? logText(algorithm, [], 20) : 'no algorithm';
  const list = logText(expected.join(', ')) || 'none';
  const words = `the ID token is signed with ${found}, but the provider's metadata lists ${list}`;
  const isListed = typeof algorithm === 'string' && expected.includes(algorithm);
  throw fault('PROVIDER_MISCONFIGURED', isListed ? `${words}, and ${found} is not supported` : words);
}

/** Returns the used claims of a payload, without those that are null. Throws if the payload is not a JSON object. */
function usedClaims(payload: Uint8Array): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload));
  } catch {
    value = undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw refuse('the payload of the ID token is not a JSON object');
  return Object.fromEntries(Object.entries(withoutNulls(value)).filter(([claim]) => USED_CLAIMS.includes(claim)));
}

interface TokenIssuer {
  metadata: ServerMetadata;
  clientSecret: string;
  keys: IssuerKeys;
}

/**
 * Verifies the signature of an ID token.
 *
 * An HMAC algorithm uses the client secret, and only if the metadata lists that algorithm. A token that names an HMAC
 * must never be verified with a public key as the secret, because everyone knows public keys. The signature is verified
 * even though the token came over TLS, because TLS proves only which host answered, not that the issuer signed the token.
 *
 * @returns the token with only the claims that a sign-in uses and without nulls, because some providers send optional
 *   claims with null or a wrong value. The signature of the returned token does not match its claims any more
 * @throws AppError PROVIDER_MISCONFIGURED for an encrypted token and for an algorithm that is not listed in the metadata or
 *   not supported; PROVIDER_PROOF_INVALID for a token that is not a JWT or whose signature the issuer did not make;
 *   PROVIDER_… if the keys of the issuer cannot be fetched
 * @see OpenID Connect Core 1.0 §3.1.3.7, §10.1; RFC 8725 §3.1, §3.2; ASVS 5.0 9.1.1 to 9.1.3
 */
export async function verifyIdToken(token: string, { metadata, clientSecret, keys }: TokenIssuer): Promise<string> {
  const algorithm = signingAlgorithm(token, metadata);
  const options = { algorithms: [algorithm] };
  try {
    const { payload } = algorithm.startsWith('HS')
      ? await compactVerify(token, new TextEncoder().encode(clientSecret), options)
      : await keys.verify((find) => compactVerify(token, find, options));
    const [header = '', , signature = ''] = token.split('.');
    return `${header}.${base64url.encode(JSON.stringify(usedClaims(payload)))}.${signature}`;
  } catch (error) {
    if (error instanceof AppError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw refuse(`the signature of the ID token does not hold (${algorithm}): ${logText(reason)}`);
  }
}
