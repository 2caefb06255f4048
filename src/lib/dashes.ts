/**
 * Replaces dashes and minus signs with hyphens, because word processors and keyboards insert them in place of
 * hyphens.
 */
export const toHyphens = (text: string): string => text.normalize('NFKC').replace(/[\p{Pd}\u2212]/gu, '-');
