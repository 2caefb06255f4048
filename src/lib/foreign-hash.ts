/** The reason why a password hash of another system cannot be imported. */
export type ForeignHashFault = 'HASH_UNSUPPORTED' | 'HASH_MALFORMED' | 'HASH_TOO_COSTLY';

/** Thrown for a hash that cannot be imported. The message contains no part of the hash. */
export class ForeignHashError extends Error {
  readonly code: ForeignHashFault;

  constructor(code: ForeignHashFault, message: string) {
    super(message);
    this.code = code;
  }
}

export const digests = ['sha1', 'sha256', 'sha512'] as const;
export type Digest = (typeof digests)[number];
export const argon2Types = ['argon2d', 'argon2i', 'argon2id'] as const;

interface Derived {
  salt: Buffer;
  hash: Buffer;
}

export interface Argon2Hash extends Derived {
  scheme: 'argon2';
  type: (typeof argon2Types)[number];
  version: 16 | 19;
  /** In KiB. */
  memory: number;
  passes: number;
  lanes: number;
}

export interface Pbkdf2Hash extends Derived {
  scheme: 'pbkdf2';
  digest: Digest;
  iterations: number;
}

export interface ScryptHash extends Derived {
  scheme: 'scrypt';
  /** The parameter N, a power of two. */
  cost: number;
  blockSize: number;
  lanes: number;
}

/** A hash such as `$2b$…`, kept as text. */
export interface BcryptHash {
  scheme: 'bcrypt';
  text: string;
}

/** A hash such as `$apr1$…` or `{SHA}…`, kept as text. */
export interface HtpasswdHash {
  scheme: 'htpasswd';
  text: string;
}

/** A parsed password hash of another system, whose cost is within the limits. */
export type ForeignHash = Argon2Hash | BcryptHash | Pbkdf2Hash | ScryptHash | HtpasswdHash;

export const malformed = (what: string): ForeignHashError =>
  new ForeignHashError('HASH_MALFORMED', `The hash is malformed: ${what}.`);
const tooCostly = (what: string): ForeignHashError =>
  new ForeignHashError('HASH_TOO_COSTLY', `The hash costs too much to verify: ${what}.`);

const MIB = 1024 * 1024;
/** Shorter hashes could be guessed. Longer ones add no security. */
const HASH_BYTES = { least: 16, most: 1024 };
const MAX_SALT = 1024;

function requireSizes({ salt, hash }: Derived): void {
  if (hash.length < HASH_BYTES.least || hash.length > HASH_BYTES.most)
    throw malformed(`it must have ${HASH_BYTES.least} to ${HASH_BYTES.most} bytes`);
  if (salt.length > MAX_SALT) throw malformed(`the salt has more than ${MAX_SALT} bytes`);
}

function requireArgon2({ memory, passes, lanes, salt }: Argon2Hash): void {
  if (memory > 1024 * 1024 || passes > 32 || lanes > 16) throw tooCostly('argon2 is limited to 1 GiB, t=32, p=16');
  if (memory < 8 * lanes || salt.length < 8) throw malformed('memory or salt is smaller than argon2 allows');
}

function requireBcrypt({ text }: BcryptHash): void {
  const cost = Number(text.slice(4, 6));
  if (cost < 4) throw malformed('bcrypt has a cost of 4 or more');
  if (cost > 16) throw tooCostly('bcrypt is limited to a cost of 16');
}

function requireScrypt({ cost, blockSize, lanes }: ScryptHash): void {
  const isPower = Number.isInteger(Math.log2(cost)) && cost > 1;
  if (!isPower) throw malformed('N of scrypt is a power of two above 1');
  if (128 * cost * blockSize > 256 * MIB || 128 * blockSize * lanes > 256 * MIB || lanes > 16)
    throw tooCostly('scrypt is limited to 256 MiB and p=16');
}

/**
 * Checks the sizes and costs of a hash.
 *
 * @returns the same hash
 * @throws ForeignHashError HASH_MALFORMED, HASH_TOO_COSTLY
 */
export function requireLimits<Hash extends ForeignHash>(hash: Hash): Hash {
  if ('salt' in hash) requireSizes(hash);
  if (hash.scheme === 'argon2') requireArgon2(hash);
  else if (hash.scheme === 'bcrypt') requireBcrypt(hash);
  else if (hash.scheme === 'scrypt') requireScrypt(hash);
  else if (hash.scheme === 'pbkdf2' && hash.iterations > 10_000_000)
    throw tooCostly('PBKDF2 is limited to 10,000,000 rounds');
  return hash;
}

const base64 = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '');

/**
 * Writes a hash in its canonical form. That is a PHC string if the scheme has one, so that every system that
 * supports PHC can read it.
 *
 * @see https://github.com/P-H-C/phc-string-format/blob/master/phc-sf-spec.md
 */
export function formatForeignHash(hash: ForeignHash): string {
  if (hash.scheme === 'bcrypt' || hash.scheme === 'htpasswd') return hash.text;
  const end = `$${base64(hash.salt)}$${base64(hash.hash)}`;
  switch (hash.scheme) {
    case 'argon2':
      return `$${hash.type}$v=${hash.version}$m=${hash.memory},t=${hash.passes},p=${hash.lanes}${end}`;
    case 'pbkdf2':
      return `$pbkdf2-${hash.digest}$i=${hash.iterations},l=${hash.hash.length}${end}`;
    case 'scrypt':
      return `$scrypt$ln=${Math.log2(hash.cost)},r=${hash.blockSize},p=${hash.lanes}${end}`;
  }
}
