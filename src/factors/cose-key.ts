// Only modules that use passkeys import this file, because the library is large.
import { cose, isoCBOR } from '@simplewebauthn/server/helpers';

const { COSEKEYS, COSEKTY, COSECRV } = cose;

/** The number of bytes in a coordinate on each curve. */
const coordinateBytes = new Map<unknown, number>([
  [COSECRV.P256, 32],
  [COSECRV.P384, 48],
  [COSECRV.P521, 66],
  [COSECRV.ED25519, 32],
]);

const lengthOf = (value: unknown): number => (value instanceof Uint8Array ? value.length : 0);

/** Returns whether a key has all the numbers that its type requires, each in full length. */
function isWhole(key: ReadonlyMap<unknown, unknown>): boolean {
  const lengths = (...labels: number[]) => labels.map((label) => lengthOf(key.get(label)));
  const bytes = coordinateBytes.get(key.get(COSEKEYS.crv));
  const kind = key.get(COSEKEYS.kty);
  if (kind === COSEKTY.EC2) return lengths(COSEKEYS.x, COSEKEYS.y).every((length) => length === bytes);
  if (kind === COSEKTY.OKP) return lengthOf(key.get(COSEKEYS.x)) === bytes;
  return kind === COSEKTY.RSA && lengths(COSEKEYS.n, COSEKEYS.e).every((length) => length > 0);
}

/**
 * Returns whether the bytes are a public key as an authenticator sends it: one complete COSE key with an algorithm,
 * and no further bytes.
 *
 * @see RFC 9052 §7; RFC 9053 §7; Web Authentication Level 3 §6.5.1
 */
export function isCoseKey(bytes: Uint8Array<ArrayBuffer>): boolean {
  try {
    const key: unknown = isoCBOR.decodeFirst(bytes);
    if (!(key instanceof Map) || typeof key.get(COSEKEYS.alg) !== 'number') return false;
    // If the bytes end inside a string, the library reads a shorter string without an error. Encoding the key again
    // then gives different bytes.
    return Buffer.from(isoCBOR.encode(key)).equals(bytes) && isWhole(key);
  } catch {
    return false;
  }
}
