import { toHyphens } from '../lib/dashes.ts';
import { sha256 } from '../lib/digest.ts';
import { randomHex, randomSymbols } from '../lib/random.ts';

/** Consonants that nobody takes for another sign: no vowels, so that no words come about; no L. */
const ALPHABET = 'BCDFGHJKMNPQRSTVWXZ';
const LENGTH = 8;
const TYPED = /^[A-Z0-9]{8}$/;

/** The shape of a device code, as a regular expression. */
export const DEVICE_CODE_PATTERN = '^[0-9a-f]{48}$';

const withHyphen = (letters: string): string => `${letters.slice(0, 4)}-${letters.slice(4)}`;

/**
 * A code that a person reads and types: 34 random bits, good for 15 minutes and 30 tries a minute.
 *
 * Source  RFC 8628 §6.1, §5.1
 */
export const newUserCode = (): string => withHyphen(randomSymbols(ALPHABET, LENGTH));

/**
 * Reads a code as it was typed: in any case, with or without dashes and spaces.
 *
 * @returns the code as it was given out; undefined if the text is none
 */
export function parseUserCode(typed: string): string | undefined {
  const letters = toHyphens(typed).replace(/[\s-]/g, '').toUpperCase();
  return TYPED.test(letters) ? withHyphen(letters) : undefined;
}

/** A code of 192 random bits that the program holds. */
export const newDeviceCode = (): string => randomHex(24);

/** The form in which codes are kept. */
export const hashCode = sha256;
