import type { Sealer } from './sealing.ts';

/** The stored form of an imported hash until its user signs in for the first time. */
const MARK = 'imported:';
const PURPOSE = 'imported password hash';

/** Whether a stored hash came from another system and was not replaced yet. */
export const isImportedHash = (stored: string): boolean => stored.startsWith(MARK);

/** Seals a hash of another system, because it may be weak and must not be readable in the database. */
export const sealImportedHash = (sealer: Pick<Sealer, 'seal'>, text: string): string =>
  MARK + sealer.seal(PURPOSE, text);

/** The imported hash; undefined if the keys do not open it. */
export const openImportedHash = (sealer: Pick<Sealer, 'open'>, stored: string): string | undefined =>
  sealer.open(PURPOSE, stored.slice(MARK.length));
