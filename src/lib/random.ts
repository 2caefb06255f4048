import { randomBytes, randomInt, randomUUID } from 'node:crypto';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Returns a UUID version 4 with 122 random bits (RFC 9562 §5.4). */
export const newUuid = (): string => randomUUID();

/** Returns whether a text has the format of a UUID, in upper or lower case. */
export const isUuid = (text: string): boolean => UUID.test(text);

/** Returns `bytes` random bytes as base64url. */
export const randomText = (bytes: number): string => randomBytes(bytes).toString('base64url');

/** Returns `bytes` random bytes as hexadecimal digits. */
export const randomHex = (bytes: number): string => randomBytes(bytes).toString('hex');

/**
 * Returns a public id for an item in a user's list, with 96 random bits. It never begins with a hyphen, so a
 * command line does not take it for an option.
 */
export const newRef = (): string => randomHex(12);

/** Returns whether a text has the format of an id from `newRef`. */
export const isRef = (text: string): boolean => /^[0-9a-f]{24}$/.test(text);

/** Returns a random value that differs from `value` by at most `share` of it, uniformly distributed. */
export const vary = (value: number, share: number): number => value * (1 + (share * randomInt(-1000, 1001)) / 1000);

/** Returns `count` random characters of an alphabet, uniformly distributed. */
export const randomSymbols = (alphabet: string, count: number): string =>
  Array.from({ length: count }, () => alphabet[randomInt(alphabet.length)]).join('');
