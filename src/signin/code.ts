import { RECOVERY_CODE_SHAPE } from './recovery-codes.ts';

/** What somebody typed as a second factor. */
export interface SecondFactorCode {
  kind: 'totp' | 'recovery';
  text: string;
}

/**
 * Reads a code as people type it: with spaces, a recovery code also in small letters or those of another keyboard.
 *
 * Source  docs/interface.md POST /authsvc/api/verify-2fa: the digits of an authenticator app are 0 to 9 alone
 */
export function parseCode(typed: string): SecondFactorCode | undefined {
  const digits = typed.replace(/\s/g, '');
  if (/^[0-9]{6}$/.test(digits)) return { kind: 'totp', text: digits };
  const text = digits.normalize('NFKC').toUpperCase();
  return RECOVERY_CODE_SHAPE.test(text) ? { kind: 'recovery', text } : undefined;
}
