import {
  argon2Types,
  type Digest,
  digests,
  type ForeignHash,
  ForeignHashError,
  malformed,
  type Pbkdf2Hash,
  requireLimits,
  type ScryptHash,
} from './foreign-hash.ts';

const unsupported = () =>
  new ForeignHashError(
    'HASH_UNSUPPORTED',
    'The format of the hash is not supported. docs/moving.md lists the supported formats.',
  );

/**
 * Larger parameters are replaced with this number. It exceeds every limit of cost, so such a hash is refused as too
 * costly. It is a power of two, because N of scrypt must be one.
 */
const HIGHEST = 2 ** 52;

function readInteger(text: string | undefined): number {
  if (!/^[1-9]\d*$/.test(text ?? '')) throw malformed('a parameter is not a whole number above 0');
  return Math.min(Number(text), HIGHEST);
}

/** Decodes base64 with or without padding. passlib writes `.` in place of `+`. */
function readBase64(text: string | undefined): Buffer {
  const plain = (text ?? '').replaceAll('.', '+').replace(/={0,2}$/, '');
  const bytes = Buffer.from(plain, 'base64');
  if (bytes.toString('base64').replaceAll('=', '') !== plain) throw malformed('a part is not base64');
  return bytes;
}

/** Returns the parts of `$NAME$…`, without the empty part before the first `$`. */
const partsOf = (text: string): string[] => text.split('$').slice(1);

/** Parses parameters such as `m=19456,t=2,p=1`. They must have exactly these names. */
function readParameters(text: string | undefined, names: readonly string[]): Map<string, string> {
  const found = new Map(
    (text ?? '').split(',').map((item) => [item.replace(/=.*$/s, ''), item.replace(/^[^=]*=?/, '')]),
  );
  const isExact = found.size === names.length && names.every((name) => found.has(name));
  if (!isExact) throw malformed(`its parameters must be ${names.join(', ')}`);
  return found;
}

function requireParts(parts: readonly string[], count: number): void {
  if (parts.length !== count) throw malformed(`it must have ${count} parts`);
}

/** Parses `$argon2id$v=19$m=19456,t=2,p=1$SALT$HASH`. If the version is missing, it is 16. */
function readArgon2(text: string): ForeignHash {
  const [name, ...rest] = partsOf(text);
  const type = argon2Types.find((one) => one === name);
  if (!type) throw unsupported();
  const parts = rest[0]?.startsWith('v=') ? rest : ['v=16', ...rest];
  requireParts(parts, 4);
  const [version, parameters, salt, hash] = parts;
  if (version !== 'v=19' && version !== 'v=16') throw malformed('argon2 has version 16 or 19');
  const found = readParameters(parameters, ['m', 't', 'p']);
  return {
    scheme: 'argon2',
    type,
    version: version === 'v=19' ? 19 : 16,
    memory: readInteger(found.get('m')),
    passes: readInteger(found.get('t')),
    lanes: readInteger(found.get('p')),
    salt: readBase64(salt),
    hash: readBase64(hash),
  };
}

function readBcrypt(text: string): ForeignHash {
  if (!/^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/.test(text))
    throw malformed('a bcrypt hash has a cost of two digits and then 53 characters');
  return { scheme: 'bcrypt', text };
}

const DJANGO_BYTES: Record<string, number> = { sha1: 20, sha256: 32 };

/** Parses `pbkdf2_sha256$600000$SALT$BASE64` of Django, where the salt is plain text. */
function readDjangoPbkdf2(text: string): ForeignHash {
  const [name, iterations, salt, encoded, ...rest] = text.split('$');
  const digest: Digest = name === 'pbkdf2_sha1' ? 'sha1' : 'sha256';
  const hash = readBase64(encoded);
  if (rest.length > 0 || salt === undefined || hash.length !== DJANGO_BYTES[digest])
    throw malformed('it must have rounds, salt and a result of full length');
  return { scheme: 'pbkdf2', digest, iterations: readInteger(iterations), salt: Buffer.from(salt), hash };
}

/** Parses `$pbkdf2-sha256$29000$SALT$HASH` of passlib, and `$pbkdf2-sha512$i=210000,l=64$SALT$HASH` of PHC. */
function readPbkdf2(text: string): ForeignHash {
  const parts = partsOf(text);
  requireParts(parts, 4);
  const [name = '', parameters = '', salt, encoded] = parts;
  const digest = digests.find((one) => one === (name === 'pbkdf2' ? 'sha1' : name.slice('pbkdf2-'.length)));
  if (!digest) throw unsupported();
  const hash = readBase64(encoded);
  if (!parameters.includes('='))
    return { scheme: 'pbkdf2', digest, iterations: readInteger(parameters), salt: readBase64(salt), hash };
  const found = readParameters(parameters, parameters.includes('l=') ? ['i', 'l'] : ['i']);
  if (found.has('l') && readInteger(found.get('l')) !== hash.length) throw malformed('l is the length of the result');
  return { scheme: 'pbkdf2', digest, iterations: readInteger(found.get('i')), salt: readBase64(salt), hash };
}

/** Parses `scrypt$16384$SALT$8$5$BASE64` of Django, where the salt is plain text. */
function readDjangoScrypt(text: string): ForeignHash {
  const parts = partsOf(text);
  requireParts(parts, 5);
  const [cost, salt = '', blockSize, lanes, hash] = parts;
  return {
    scheme: 'scrypt',
    cost: readInteger(cost),
    blockSize: readInteger(blockSize),
    lanes: readInteger(lanes),
    salt: Buffer.from(salt),
    hash: readBase64(hash),
  };
}

/** Parses `$scrypt$ln=16,r=8,p=1$SALT$HASH` of passlib and PHC. */
function readScrypt(text: string): ForeignHash {
  const parts = partsOf(text);
  requireParts(parts, 4);
  const [, parameters, salt, hash] = parts;
  const found = readParameters(parameters, ['ln', 'r', 'p']);
  const log = readInteger(found.get('ln'));
  return {
    scheme: 'scrypt',
    cost: 2 ** Math.min(log, 64),
    blockSize: readInteger(found.get('r')),
    lanes: readInteger(found.get('p')),
    salt: readBase64(salt),
    hash: readBase64(hash),
  };
}

/**
 * Parses `SALT:HASH` of better-auth and Lucia. They use the hexadecimal text itself as the salt, without decoding
 * it.
 */
function readSaltAndHash(text: string): ForeignHash {
  const [salt = '', hash = ''] = text.split(':');
  return {
    scheme: 'scrypt',
    cost: 16_384,
    blockSize: 16,
    lanes: 1,
    salt: Buffer.from(salt),
    hash: Buffer.from(hash, 'hex'),
  };
}

function readHtpasswd(text: string): ForeignHash {
  const isWhole = /^\$apr1\$[^$]{0,8}\$[./0-9A-Za-z]{22}$/.test(text) || /^\{SHA\}[A-Za-z0-9+/]{27}=$/.test(text);
  if (!isWhole) throw malformed('a part is missing');
  return { scheme: 'htpasswd', text };
}

/** The supported formats. The first pattern that matches the beginning of a hash decides which function parses it. */
const spellings: readonly [RegExp, (text: string) => ForeignHash][] = [
  [/^\$argon2/, readArgon2],
  [/^argon2\$argon2/, (text) => readArgon2(text.slice('argon2'.length))],
  [/^\$2[aby]\$/, readBcrypt],
  [/^bcrypt\$\$2[aby]\$/, (text) => readBcrypt(text.slice('bcrypt$'.length))],
  [/^pbkdf2_sha(1|256)\$/, readDjangoPbkdf2],
  [/^\$pbkdf2(-sha(1|256|512))?\$/, readPbkdf2],
  [/^scrypt\$/, readDjangoScrypt],
  [/^\$scrypt\$/, readScrypt],
  [/^[0-9a-f]{32}:[0-9a-f]{128}$/i, readSaltAndHash],
  [/^\$apr1\$|^\{SHA\}/, readHtpasswd],
];

function readText(text: string): ForeignHash {
  const spelling = spellings.find(([start]) => start.test(text));
  if (!spelling) throw unsupported();
  return spelling[1](text);
}

const encodings = ['hex', 'base64', 'utf8'] as const;

function readBytes(given: object, name: 'salt' | 'hash'): Buffer {
  const text: unknown = Reflect.get(given, name);
  const encoding = encodings.find((one) => one === (Reflect.get(given, `${name}_encoding`) ?? 'hex'));
  if (typeof text !== 'string' || !encoding) throw malformed(`${name} must be text in hex, base64 or utf8`);
  if (encoding === 'base64') return readBase64(text);
  if (encoding === 'hex' && !/^([0-9a-f]{2})*$/i.test(text)) throw malformed(`${name} is not hexadecimal`);
  return Buffer.from(text, encoding);
}

function readNumber(given: object, name: string): number {
  const value: unknown = Reflect.get(given, name);
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1)
    throw malformed(`${name} must be a whole number above 0`);
  return Math.min(value, HIGHEST);
}

/** Parses an object with the parameters that were given to node:crypto. */
function readObject(given: object): Pbkdf2Hash | ScryptHash {
  const algorithm: unknown = Reflect.get(given, 'algorithm');
  if (algorithm !== 'pbkdf2' && algorithm !== 'scrypt') throw unsupported();
  const bytes = { salt: readBytes(given, 'salt'), hash: readBytes(given, 'hash') };
  if (algorithm === 'scrypt')
    return {
      scheme: 'scrypt',
      cost: readNumber(given, 'N'),
      blockSize: readNumber(given, 'r'),
      lanes: readNumber(given, 'p'),
      ...bytes,
    };
  const digest = digests.find((one) => one === Reflect.get(given, 'digest'));
  if (!digest) throw unsupported();
  return { scheme: 'pbkdf2', digest, iterations: readNumber(given, 'iterations'), ...bytes };
}

/**
 * Parses a password hash of another system. It is a text in one of the usual formats, or an object with the
 * parameters that were given to node:crypto.
 *
 * @throws ForeignHashError, whose message contains no part of the hash
 * @see docs/moving.md
 */
export function parseForeignHash(given: unknown): ForeignHash {
  if (typeof given === 'string') return requireLimits(readText(given));
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw malformed('it is neither text nor an object');
  return requireLimits(readObject(given));
}
