import { base64url, compactVerify, decodeProtectedHeader } from 'jose';
import type { ServerMetadata } from 'openid-client';
import { AppError } from '../errors/app-error.ts';
import { fault, logText } from './fault.ts';
import type { IssuerKeys } from './issuer-keys.ts';
import { withoutNulls } from './outgoing.ts';

/** The supported algorithms. `none` is not among them, because it proves nothing. */
const SUPPORTED = /^(?:(?:RS|PS|ES|HS)(?:256|384|512)|EdDSA|Ed25519)$/;
/** The algorithm of a provider that lists none (OpenID Connect Core 1.0 §2). */
const DEFAULT_ALGORITHMS = ['RS256'];
/** The claims that a sign-in uses. */
const USED_CLAIMS = ['iss', 'sub', 'aud', 'exp', 'iat', 'nbf', 'nonce', 'azp'];

const refuse = (words: string) => fault('PROVIDER_PROOF_INVALID', words);

/** The algorithm that a token is signed with. Throws unless the provider's metadata lists it. */
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

/** The claims of a payload that are used and have a value. Throws unless it is a JSON object. */
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
 * Checks the signature of an ID token.
 *
 * An HMAC is checked with the client secret, and only if the metadata lists it: a token that names an HMAC must never
 * be checked with a public key, which anyone has. TLS proves which host answered, not which issuer signed, so the
 * signature matters even though the token came over TLS.
 *
 * @returns the token with only the claims that a sign-in uses, without nulls: some providers send optional claims
 * without a value, or with a wrong one. Its signature no longer matches its claims
 * @throws AppError PROVIDER_MISCONFIGURED for an algorithm that the metadata does not list; PROVIDER_PROOF_INVALID for a
 *   signature that is not the issuer's
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
