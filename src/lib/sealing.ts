import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const VERSION = 'v1.';
const KEY_ID_BYTES = 4;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const ALGORITHM = 'aes-256-gcm';

interface Key {
  id: Buffer;
  secret: string;
}

/** Seals short texts so that only this service can read or create them. Also derives keys for other purposes. */
export interface Sealer {
  seal(purpose: string, plain: string): string;
  open(purpose: string, sealed: string): string | undefined;
  /** Returns whether the newest secret sealed the text. Does not check whether the text can be opened. */
  isNewest(sealed: string): boolean;
  /** Returns the 32-byte keys for one purpose, newest first. */
  keys(purpose: string): Buffer[];
}

const derive = (secret: string, info: string, bytes: number): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, 'authsvc', info, bytes));

/**
 * Creates a sealer from the session secrets. The first secret seals and all of them open, so that a text stays
 * valid when the secret that sealed it is replaced.
 *
 * @returns `seal` returns `v1.` and base64url of key id (4 bytes), nonce (12), ciphertext and tag (16), encrypted
 * with AES-256-GCM. HKDF-SHA-256 derives the key from the secret and the purpose, and the purpose is the additional
 * data, so that a text opens only for its purpose. `open` returns undefined for any other text and never throws
 * @see RFC 5869; NIST SP 800-38D; ASVS 5.0 9.1.1, 9.2.2, 11.3.2
 */
export function createSealer(secrets: readonly string[]): Sealer {
  const keys: Key[] = secrets.map((secret) => ({ id: derive(secret, 'key id', KEY_ID_BYTES), secret }));
  const [newest] = keys;
  if (!newest) throw new Error('a sealer needs at least one secret');
  const derived = new Map<string, Buffer>();
  const keyFor = (key: Key, purpose: string): Buffer => {
    const name = `${key.id.toString('hex')} ${purpose}`;
    const known = derived.get(name);
    if (known) return known;
    const made = derive(key.secret, `key for ${purpose}`, 32);
    derived.set(name, made);
    return made;
  };

  const seal = (purpose: string, plain: string): string => {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, keyFor(newest, purpose), iv).setAAD(Buffer.from(purpose));
    const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
    return VERSION + Buffer.concat([newest.id, iv, body, cipher.getAuthTag()]).toString('base64url');
  };

  const open = (purpose: string, sealed: string): string | undefined => {
    if (!sealed.startsWith(VERSION)) return undefined;
    const text = sealed.slice(VERSION.length);
    const bytes = Buffer.from(text, 'base64url');
    const isCanonical = bytes.toString('base64url') === text;
    if (!isCanonical || bytes.length < KEY_ID_BYTES + IV_BYTES + TAG_BYTES) return undefined;
    const id = bytes.subarray(0, KEY_ID_BYTES);
    for (const key of keys.filter((candidate) => candidate.id.equals(id))) {
      const plain = decrypt(keyFor(key, purpose), purpose, bytes.subarray(KEY_ID_BYTES));
      if (plain !== undefined) return plain;
    }
    return undefined;
  };

  const isNewest = (sealed: string): boolean =>
    Buffer.from(sealed.slice(VERSION.length), 'base64url').subarray(0, KEY_ID_BYTES).equals(newest.id);

  return { seal, open, isNewest, keys: (purpose) => keys.map((key) => keyFor(key, purpose)) };
}

function decrypt(key: Buffer, purpose: string, bytes: Buffer): string | undefined {
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(purpose));
  decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
  try {
    const body = bytes.subarray(IV_BYTES, bytes.length - TAG_BYTES);
    return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}
