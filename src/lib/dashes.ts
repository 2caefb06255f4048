/** Replaces dashes and minus signs, which word processors and keyboards insert for hyphens, with hyphens. */
export const toHyphens = (text: string): string => text.normalize('NFKC').replace(/[\p{Pd}\u2212]/gu, '-');
