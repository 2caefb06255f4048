import { sha256 } from '../lib/digest.ts';
import { randomHex } from '../lib/random.ts';

/** Returns a new secret with 256 random bits (ASVS 5.0 11.5.1). It is shown once; only its hash is stored. */
export const newSecret = (): string => `acs_${randomHex(32)}`;

/** Returns the form in which the database stores a secret. */
export const hashSecret = sha256;
