import { toHyphens } from '../../../lib/dashes.ts';

/** What was typed as a code, with plain digits and hyphens, and without spaces or what separates digits. */
export function cleanCode(typed: string): string {
  const plain = toHyphens(typed).replace(/\s+/g, '');
  const digits = plain.replace(/[-.]/g, '');
  return /^\d{6}$/.test(digits) ? digits : plain;
}

/** Whether this is a whole code of an authenticator app. */
export function isAppCode(code: string): boolean {
  return /^\d{6}$/.test(code);
}
