import { createHash, pbkdf2, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { apr1 } from './apr1.ts';
import type { Argon2Hash, ForeignHash, ScryptHash } from './foreign-hash.ts';
import { argon2Types } from './foreign-hash.ts';
import { parseForeignHash } from './parse-foreign-hash.ts';

const derivePbkdf2 = promisify(pbkdf2);
/** The memory that scrypt needs in addition to its tables. */
const SPARE_MEMORY = 64 * 1024;

async function deriveArgon2(password: string, given: Argon2Hash): Promise<Buffer> {
  const { hashRaw } = await import('@node-rs/argon2');
  return hashRaw(password, {
    algorithm: argon2Types.indexOf(given.type),
    version: given.version === 19 ? 1 : 0,
    memoryCost: given.memory,
    timeCost: given.passes,
    parallelism: given.lanes,
    salt: given.salt,
    outputLen: given.hash.length,
  });
}

function deriveScrypt(password: string, { salt, hash, cost, blockSize, lanes }: ScryptHash): Promise<Buffer> {
  const maxmem = 128 * blockSize * (cost + lanes + 2) + SPARE_MEMORY;
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, key: Buffer) => (error ? reject(error) : resolve(key));
    scrypt(password, salt, hash.length, { N: cost, r: blockSize, p: lanes, maxmem }, done);
  });
}

const sameText = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

function matchesHtpasswd(password: string, text: string): boolean {
  const [, scheme, salt = ''] = text.split('$');
  if (scheme === 'apr1') return sameText(apr1(password, salt), text);
  return sameText(`{SHA}${createHash('sha1').update(password).digest('base64')}`, text);
}

async function matches(password: string, given: ForeignHash): Promise<boolean> {
  switch (given.scheme) {
    case 'argon2':
      return timingSafeEqual(await deriveArgon2(password, given), given.hash);
    case 'bcrypt': {
      const bcrypt = await import('bcrypt');
      return bcrypt.compare(password, given.text.replace(/^\$2y/, '$2b'));
    }
    case 'pbkdf2': {
      const { salt, iterations, hash, digest } = given;
      return timingSafeEqual(await derivePbkdf2(password, salt, iterations, hash.length, digest), hash);
    }
    case 'scrypt':
      return timingSafeEqual(await deriveScrypt(password, given), given.hash);
    case 'htpasswd':
      return matchesHtpasswd(password, given.text);
  }
}

/**
 * Compares a password with a hash of another system. Tries the password as it was sent, and then in the Unicode
 * forms NFC and NFKC, because systems hash different forms.
 *
 * @param text a hash from `formatForeignHash`
 */
export async function verifyForeignHash(text: string, password: string): Promise<boolean> {
  const given = parseForeignHash(text);
  for (const form of new Set([password, password.normalize('NFC'), password.normalize('NFKC')])) {
    if (await matches(form, given)) return true;
  }
  return false;
}
