import { createPrivateKey, createPublicKey, type JsonWebKey, sign, verify } from 'node:crypto';
import type { IdTokenAlg } from '../applications/application.ts';

/** A key for signing or verifying JWTs. */
export interface JwtKey {
  id: string;
  alg: IdTokenAlg;
  jwk: JsonWebKey;
}

export type Claims = Readonly<Record<string, unknown>>;

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const dsaEncoding = 'ieee-p1363';

function decode(part: string): Claims | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** Signs claims as a JWT (RFC 7515, RFC 7518 §3.3 and §3.4). */
export function signJwt({ id, alg, jwk }: JwtKey, typ: string, claims: Claims): string {
  const signed = `${encode({ alg, typ, kid: id })}.${encode(claims)}`;
  const key = createPrivateKey({ key: jwk, format: 'jwk' });
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding });
  return `${signed}.${signature.toString('base64url')}`;
}

/**
 * Returns the claims of a JWT that one of these keys has signed. Does not check whether the JWT has expired.
 *
 * @param keys public keys
 * @returns undefined if none of these keys has signed it
 */
export function openJwt(keys: readonly JwtKey[], token: string): Claims | undefined {
  const [head = '', body = '', signature = '', ...rest] = token.split('.');
  const header = decode(head);
  const key = keys.find(({ id, alg }) => id === header?.kid && alg === header.alg);
  if (!key || rest.length > 0) return undefined;
  const publicKey = createPublicKey({ key: key.jwk, format: 'jwk' });
  const bytes = Buffer.from(signature, 'base64url');
  const isRight = verify('sha256', Buffer.from(`${head}.${body}`), { key: publicKey, dsaEncoding }, bytes);
  return isRight ? decode(body) : undefined;
}
