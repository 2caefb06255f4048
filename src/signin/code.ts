import { RECOVERY_CODE_SHAPE } from './recovery-codes.ts';

/** What somebody typed as a second factor. */
export interface SecondFactorCode {
  kind: 'totp' | 'recovery';
  text: string;
}

/** Reads a code as people type it: with spaces, with the digits of another script's keyboard, in small letters. */
export function parseCode(typed: string): SecondFactorCode | undefined {
  const text = typed.normalize('NFKC').replace(/\s/g, '').toUpperCase();
  if (/^\d{6}$/.test(text)) return { kind: 'totp', text };
  return RECOVERY_CODE_SHAPE.test(text) ? { kind: 'recovery', text } : undefined;
}
