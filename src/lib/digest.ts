import { hash } from 'node:crypto';

/**
 * SHA-256 of a text, hexadecimal: the form in which secrets of full length are kept and looked up.
 *
 * Why     a secret of 128 random bits or more cannot be found by trying, so it needs no slow hash, and an index over
 *         the hash answers in one step without invalidating anything of the secret by the time it takes.
 * Source  ASVS 5.0 11.4.2
 */
export const sha256 = (text: string): string => hash('sha256', text);
