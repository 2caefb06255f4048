import { toHyphens } from '../../../lib/dashes.ts';

/** Normalizes a typed code: converts hyphens of other scripts, and removes spaces and, between six digits, separators. */
export function cleanCode(typed: string): string {
  const plain = toHyphens(typed).replace(/\s+/g, '');
  const digits = plain.replace(/[-.]/g, '');
  return /^\d{6}$/.test(digits) ? digits : plain;
}

/** Returns whether a text is a complete code of an authenticator app. */
export function isAppCode(code: string): boolean {
  return /^\d{6}$/.test(code);
}
