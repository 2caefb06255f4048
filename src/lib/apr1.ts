import { createHash } from 'node:crypto';

const ALPHABET = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ROUNDS = 1000;
/** For each group of four output characters: the three bytes of the digest that it encodes. */
const ORDER = [
  [0, 6, 12],
  [1, 7, 13],
  [2, 8, 14],
  [3, 9, 15],
  [4, 10, 5],
];

const md5 = (...parts: readonly Uint8Array[]): Buffer => {
  const hash = createHash('md5');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

function characters(value: number, count: number): string {
  let text = '';
  for (let at = 0; at < count; at += 1) text += ALPHABET[(value >> (6 * at)) & 63];
  return text;
}

function firstDigest(password: Buffer, salt: Buffer): Buffer {
  const mixed = md5(password, salt, password);
  const parts = [password, Buffer.from('$apr1$'), salt];
  for (let left = password.length; left > 0; left -= 16) parts.push(mixed.subarray(0, Math.min(16, left)));
  for (let bits = password.length; bits > 0; bits >>= 1)
    parts.push(bits & 1 ? Buffer.alloc(1) : password.subarray(0, 1));
  return md5(...parts);
}

/**
 * Computes the MD5-based hash of `htpasswd -m`. The hash is weak. It is used only to verify hashes that were
 * imported from another system.
 *
 * @returns `$apr1$SALT$HASH`
 * @see Apache HTTP Server, support for apr_md5_encode
 */
export function apr1(text: string, saltText: string): string {
  const [password, salt] = [Buffer.from(text), Buffer.from(saltText)];
  let digest = firstDigest(password, salt);
  for (let round = 0; round < ROUNDS; round += 1) {
    const parts = [round & 1 ? password : digest];
    if (round % 3 !== 0) parts.push(salt);
    if (round % 7 !== 0) parts.push(password);
    parts.push(round & 1 ? digest : password);
    digest = md5(...parts);
  }
  const byte = (at: number): number => digest[at] ?? 0;
  const groups = ORDER.map(([a = 0, b = 0, c = 0]) => characters((byte(a) << 16) | (byte(b) << 8) | byte(c), 4));
  return `$apr1$${saltText}$${groups.join('')}${characters(byte(11), 2)}`;
}
