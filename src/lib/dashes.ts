/** A text with hyphens for every dash and minus sign that word processors and keyboards put in their place. */
export const toHyphens = (text: string): string => text.normalize('NFKC').replace(/[\p{Pd}\u2212]/gu, '-');
