import { toHyphens } from '../../../lib/dashes.ts';

/**
 * Cleans up a typed code. Converts all kinds of hyphens to ASCII and removes spaces. If the rest is six digits with hyphens
 * or dots between them, removes those too.
 */
export function cleanCode(typed: string): string {
  const plain = toHyphens(typed).replace(/\s+/g, '');
  const digits = plain.replace(/[-.]/g, '');
  return /^\d{6}$/.test(digits) ? digits : plain;
}

/** Returns whether a text is a complete code of an authenticator app. */
export function isAppCode(code: string): boolean {
  return /^\d{6}$/.test(code);
}
