import { hash } from 'node:crypto';

/**
 * SHA-256 of a text, hexadecimal: the form in which random secrets are stored and looked up.
 *
 * A secret of 128 random bits or more cannot be guessed, so it needs no slow hash, and the time of an index lookup
 * of the hash reveals nothing about the secret.
 *
 * @see ASVS 5.0 11.4.2
 */
export const sha256 = (text: string): string => hash('sha256', text);
