import { sha256 } from '../lib/digest.ts';
import { randomHex } from '../lib/random.ts';

/** A secret of 256 random bits (ASVS 5.0 11.5.1). It is shown once; only its hash is stored. */
export const newSecret = (): string => `acs_${randomHex(32)}`;

/** The stored form of a secret. */
export const hashSecret = sha256;
