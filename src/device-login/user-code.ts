import { toHyphens } from '../lib/dashes.ts';
import { sha256 } from '../lib/digest.ts';
import { randomHex, randomSymbols } from '../lib/random.ts';

/** Consonants that are hard to confuse: no vowels, so that codes spell no words; no L. */
const ALPHABET = 'BCDFGHJKMNPQRSTVWXZ';
const LENGTH = 8;
const TYPED = /^[A-Z0-9]{8}$/;

/** The shape of a device code, as a regular expression. */
export const DEVICE_CODE_PATTERN = '^[0-9a-f]{48}$';

const withHyphen = (letters: string): string => `${letters.slice(0, 4)}-${letters.slice(4)}`;

/**
 * A code that a person reads and types: 34 random bits, enough for 15 minutes and 30 tries a minute.
 *
 * @see RFC 8628 §6.1, §5.1
 */
export const newUserCode = (): string => withHyphen(randomSymbols(ALPHABET, LENGTH));

/**
 * Reads a typed code: in any case, with or without dashes and spaces.
 *
 * @returns the code in its original form; undefined if the text is not a code
 */
export function parseUserCode(typed: string): string | undefined {
  const letters = toHyphens(typed).replace(/[\s-]/g, '').toUpperCase();
  return TYPED.test(letters) ? withHyphen(letters) : undefined;
}

/** A code of 192 random bits for the program. */
export const newDeviceCode = (): string => randomHex(24);

/** The stored form of codes. */
export const hashCode = sha256;
