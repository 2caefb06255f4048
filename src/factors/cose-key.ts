// Loaded only by what imports passkeys, because the library is large.
import { cose, isoCBOR } from '@simplewebauthn/server/helpers';

const { COSEKEYS, COSEKTY, COSECRV } = cose;

/** Bytes of a coordinate on each curve. */
const coordinateBytes = new Map<unknown, number>([
  [COSECRV.P256, 32],
  [COSECRV.P384, 48],
  [COSECRV.P521, 66],
  [COSECRV.ED25519, 32],
]);

const lengthOf = (value: unknown): number => (value instanceof Uint8Array ? value.length : 0);

/** Whether a key has the numbers that its kind consists of, in full. */
function isWhole(key: ReadonlyMap<unknown, unknown>): boolean {
  const lengths = (...labels: number[]) => labels.map((label) => lengthOf(key.get(label)));
  const bytes = coordinateBytes.get(key.get(COSEKEYS.crv));
  const kind = key.get(COSEKEYS.kty);
  if (kind === COSEKTY.EC2) return lengths(COSEKEYS.x, COSEKEYS.y).every((length) => length === bytes);
  if (kind === COSEKTY.OKP) return lengthOf(key.get(COSEKEYS.x)) === bytes;
  return kind === COSEKTY.RSA && lengths(COSEKEYS.n, COSEKEYS.e).every((length) => length > 0);
}

/**
 * Whether bytes are a public key as an authenticator sends it: a COSE key with an algorithm, complete, and nothing behind
 * it.
 *
 * @see RFC 9052 §7; RFC 9053 §7; Web Authentication Level 3 §6.5.1
 */
export function isCoseKey(bytes: Uint8Array<ArrayBuffer>): boolean {
  try {
    const key: unknown = isoCBOR.decodeFirst(bytes);
    if (!(key instanceof Map) || typeof key.get(COSEKEYS.alg) !== 'number') return false;
    // The library reads a string that was cut off as a shorter one, and then writes it with that length.
    return Buffer.from(isoCBOR.encode(key)).equals(bytes) && isWhole(key);
  } catch {
    return false;
  }
}
