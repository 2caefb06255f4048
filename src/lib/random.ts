import { randomBytes, randomInt, randomUUID } from 'node:crypto';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** A UUID version 4: 122 random bits (RFC 9562 §5.4). */
export const newUuid = (): string => randomUUID();

/** Whether a text has the shape of a UUID, in any case of letters. */
export const isUuid = (text: string): boolean => UUID.test(text);

/** `bytes` random bytes as base64url. */
export const randomText = (bytes: number): string => randomBytes(bytes).toString('base64url');

/** `bytes` random bytes as hexadecimal digits. */
export const randomHex = (bytes: number): string => randomBytes(bytes).toString('hex');

/** A public name for an item of a user's list: 96 random bits. A command line does not take it for an option. */
export const newRef = (): string => randomHex(12);

/** Whether a text has the shape of such a name. */
export const isRef = (text: string): boolean => /^[0-9a-f]{24}$/.test(text);

/** A value that differs from `value` by at most this share of it, uniformly distributed. */
export const vary = (value: number, share: number): number => value * (1 + (share * randomInt(-1000, 1001)) / 1000);

/** `count` characters of an alphabet, uniformly distributed. */
export const randomSymbols = (alphabet: string, count: number): string =>
  Array.from({ length: count }, () => alphabet[randomInt(alphabet.length)]).join('');
