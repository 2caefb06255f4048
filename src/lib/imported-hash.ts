import type { Sealer } from './sealing.ts';

/** The prefix of an imported hash in the database. The hash is replaced when its user first signs in. */
const MARK = 'imported:';
const PURPOSE = 'imported password hash';

/** Returns whether a stored hash was imported from another system and is not replaced yet. */
export const isImportedHash = (stored: string): boolean => stored.startsWith(MARK);

/** Seals a hash of another system. It may be weak, so it must not be readable in the database. */
export const sealImportedHash = (sealer: Pick<Sealer, 'seal'>, text: string): string =>
  MARK + sealer.seal(PURPOSE, text);

/** Returns the imported hash, or undefined if no key opens it. */
export const openImportedHash = (sealer: Pick<Sealer, 'open'>, stored: string): string | undefined =>
  sealer.open(PURPOSE, stored.slice(MARK.length));
