import { toHyphens } from '../../../lib/dashes.ts';

/** A typed code with ASCII digits and hyphens, without spaces and separators. */
export function cleanCode(typed: string): string {
  const plain = toHyphens(typed).replace(/\s+/g, '');
  const digits = plain.replace(/[-.]/g, '');
  return /^\d{6}$/.test(digits) ? digits : plain;
}

/** Whether this is a complete code of an authenticator app. */
export function isAppCode(code: string): boolean {
  return /^\d{6}$/.test(code);
}
