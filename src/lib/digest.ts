import { hash } from 'node:crypto';

/**
 * Returns the SHA-256 of a text in hexadecimal. Random secrets are stored and looked up in this form.
 *
 * A secret with 128 or more random bits cannot be guessed, so it needs no slow hash. The time of an index lookup
 * depends only on the hash and reveals nothing about the secret.
 *
 * @see ASVS 5.0 11.4.2
 */
export const sha256 = (text: string): string => hash('sha256', text);
