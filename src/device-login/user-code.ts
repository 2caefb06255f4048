import { toHyphens } from '../lib/dashes.ts';
import { sha256 } from '../lib/digest.ts';
import { randomHex, randomSymbols } from '../lib/random.ts';

/** Consonants that are hard to confuse. Without vowels, codes spell no words. L is left out because it looks like 1. */
const ALPHABET = 'BCDFGHJKMNPQRSTVWXZ';
const LENGTH = 8;
const TYPED = /^[A-Z0-9]{8}$/;

/** Regular expression for device codes. */
export const DEVICE_CODE_PATTERN = '^[0-9a-f]{48}$';

const withHyphen = (letters: string): string => `${letters.slice(0, 4)}-${letters.slice(4)}`;

/**
 * Returns a new code that a person reads and types. It has 34 random bits, which is enough for 15 minutes and 30 tries a
 * minute.
 *
 * @see RFC 8628 §6.1, §5.1
 */
export const newUserCode = (): string => withHyphen(randomSymbols(ALPHABET, LENGTH));

/**
 * Reads a typed code. Accepts upper and lower case, with or without hyphens and spaces.
 *
 * @returns the code as it was issued: in upper case, with a hyphen; undefined if the text is not a code
 */
export function parseUserCode(typed: string): string | undefined {
  const letters = toHyphens(typed).replace(/[\s-]/g, '').toUpperCase();
  return TYPED.test(letters) ? withHyphen(letters) : undefined;
}

/** Returns a new code for the program, with 192 random bits. */
export const newDeviceCode = (): string => randomHex(24);

/** The form in which the database stores codes. */
export const hashCode = sha256;
