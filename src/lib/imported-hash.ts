import type { Sealer } from './sealing.ts';

/** What the database has in place of a hash that was imported and with which no one has signed in yet. */
const MARK = 'imported:';
const PURPOSE = 'imported password hash';

/** Whether a stored hash came from another system and was not replaced since. */
export const isImportedHash = (stored: string): boolean => stored.startsWith(MARK);

/** Seals a hash of another system: it may be weak, so it never lies in the database in clear. */
export const sealImportedHash = (sealer: Pick<Sealer, 'seal'>, text: string): string =>
  MARK + sealer.seal(PURPOSE, text);

/** The hash that was imported; undefined if the keys do not open it. */
export const openImportedHash = (sealer: Pick<Sealer, 'open'>, stored: string): string | undefined =>
  sealer.open(PURPOSE, stored.slice(MARK.length));
