import { pbkdf2Sync, scryptSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { ForeignHashError, formatForeignHash } from './foreign-hash.ts';
import { parseForeignHash } from './parse-foreign-hash.ts';
import { verifyForeignHash } from './verify-foreign-hash.ts';

const PASSWORD = 'correct horse é';
const b64 = (bytes: Buffer) => bytes.toString('base64');
const bare = (bytes: Buffer) => b64(bytes).replaceAll('=', '');
const salt = Buffer.from('0123456789abcdef');
const sha256 = pbkdf2Sync(PASSWORD, salt, 1000, 32, 'sha256');
const small = scryptSync(PASSWORD, salt, 64, { N: 1024, r: 8, p: 2 });
const hexSalt = 'a1'.repeat(16);
const large = scryptSync(PASSWORD, hexSalt, 64, { N: 16_384, r: 16, p: 1, maxmem: 2 ** 26 });

const pbkdf2Text = `$pbkdf2-sha256$i=1000,l=32$${bare(salt)}$${bare(sha256)}`;
const scryptText = `$scrypt$ln=10,r=8,p=2$${bare(salt)}$${bare(small)}`;
const scrypt = { algorithm: 'scrypt', N: 1024, r: 8, p: 2 };

test.each<[unknown, string]>([
  [`pbkdf2_sha256$1000$${salt}$${b64(sha256)}`, pbkdf2Text],
  [`$pbkdf2-sha256$1000$${bare(salt).replaceAll('+', '.')}$${bare(sha256).replaceAll('+', '.')}`, pbkdf2Text],
  [pbkdf2Text, pbkdf2Text],
  [`scrypt$1024$${salt}$8$2$${b64(small)}`, scryptText],
  [{ ...scrypt, salt: salt.toString('hex'), hash: small.toString('hex') }, scryptText],
  [{ ...scrypt, salt: `${salt}`, salt_encoding: 'utf8', hash: b64(small), hash_encoding: 'base64' }, scryptText],
  [`${hexSalt}:${large.toString('hex')}`, `$scrypt$ln=14,r=16,p=1$${bare(Buffer.from(hexSalt))}$${bare(large)}`],
])('a foreign hash is written in PHC format and verifies the password (%#)', async (given, spelling) => {
  const text = formatForeignHash(parseForeignHash(given));

  expect(text).toBe(spelling);
  expect(await verifyForeignHash(text, PASSWORD)).toBe(true);
  // The same password in another Unicode composition, because keyboards differ in what they send.
  expect(await verifyForeignHash(text, PASSWORD.normalize('NFD'))).toBe(true);
  expect(await verifyForeignHash(text, `${PASSWORD}x`)).toBe(false);
});

test.each<[unknown, string]>([
  ['', 'HASH_UNSUPPORTED'],
  ['$1$abc$def', 'HASH_UNSUPPORTED'],
  ['$2x$05$oOo.3j12rGiKWXiHWv/ad.nCER5zri2K.Ojl1dMcQJW5GerZcqgCW', 'HASH_UNSUPPORTED'],
  ['bcrypt_sha256$$2b$05$oOo.3j12rGiKWXiHWv/ad.nCER5zri2K.Ojl1dMcQJW5GerZcqgCW', 'HASH_UNSUPPORTED'],
  [{ algorithm: 'pbkdf2', digest: 'md5', iterations: 1, salt: '', hash: '00' }, 'HASH_UNSUPPORTED'],
  [12, 'HASH_MALFORMED'],
  [[], 'HASH_MALFORMED'],
  ['$2b$03$oOo.3j12rGiKWXiHWv/ad.nCER5zri2K.Ojl1dMcQJW5GerZcqgCW', 'HASH_MALFORMED'],
  [pbkdf2Text.replace('l=32', 'l=31'), 'HASH_MALFORMED'],
  [pbkdf2Text.replace('i=1000', 'i=01000'), 'HASH_MALFORMED'],
  [`pbkdf2_sha256$1000$salt$${b64(sha256.subarray(16))}`, 'HASH_MALFORMED'],
  [{ ...scrypt, N: 1000, salt: '', hash: small.toString('hex') }, 'HASH_MALFORMED'],
  [{ ...scrypt, salt: 'zz', hash: small.toString('hex') }, 'HASH_MALFORMED'],
  ['$2b$17$oOo.3j12rGiKWXiHWv/ad.nCER5zri2K.Ojl1dMcQJW5GerZcqgCW', 'HASH_TOO_COSTLY'],
  [pbkdf2Text.replace('i=1000', 'i=10000001'), 'HASH_TOO_COSTLY'],
  [scryptText.replace('ln=10', 'ln=19'), 'HASH_TOO_COSTLY'],
  [pbkdf2Text.replace('i=1000', `i=${'9'.repeat(400)}`), 'HASH_TOO_COSTLY'],
  [{ algorithm: 'pbkdf2', digest: 'sha1', iterations: 1e300, salt: '', hash: '00'.repeat(20) }, 'HASH_TOO_COSTLY'],
  [`scrypt$${2 ** 40}$salt$8$1$${b64(small)}`, 'HASH_TOO_COSTLY'],
  [`scrypt$${10 ** 20}$salt$8$1$${b64(small)}`, 'HASH_TOO_COSTLY'],
  [`$argon2id$v=19$m=1048577,t=1,p=1$${bare(salt)}$${bare(sha256)}`, 'HASH_TOO_COSTLY'],
  [`$argon2id$v=19$m=99999999999,t=1,p=1$${bare(salt)}$${bare(sha256)}`, 'HASH_TOO_COSTLY'],
  [`$argon2id$v=19$m=1024,t=1,p=1000$${bare(salt)}$${bare(sha256)}`, 'HASH_TOO_COSTLY'],
])('a hash that cannot be imported is refused, and the message does not contain the hash (%#)', (given, code) => {
  const refusal = (() => {
    try {
      return parseForeignHash(given);
    } catch (error) {
      return error;
    }
  })();
  expect(refusal).toBeInstanceOf(ForeignHashError);
  expect(refusal).toMatchObject({ code });
  expect(String(refusal)).not.toMatch(/oOo|salt\$|zz/);
});
