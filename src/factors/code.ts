import { toHyphens } from '../lib/dashes.ts';
import { normalForm } from '../lib/normal-form.ts';
import { TOTP_CODE_SHAPE } from '../lib/totp.ts';
import { RECOVERY_CODE_SHAPE } from './recovery-codes.ts';

const MAX_CHARACTERS = 11;

/** A second-factor code that the user typed. */
export interface SecondFactorCode {
  kind: 'totp' | 'recovery';
  text: string;
}

/** Removes all spaces, because people type codes in groups. */
export const withoutSpaces = (typed: string): string => typed.replace(/\s/g, '');

/**
 * Parses a second-factor code: six digits, or a recovery code in upper or lower case, with any kind of dash, or in
 * full-width letters. Spaces are not accepted; callers that read forms remove them first with `withoutSpaces`.
 *
 * @returns undefined for any other text. Ten digits also give undefined, although a recovery code can consist of ten
 * digits; callers treat them as a wrong code of an authenticator app
 * @see docs/interface.md POST /authsvc/api/verify-2fa: the digits of an authenticator app are 0 to 9 alone
 */
export function parseCode(typed: string): SecondFactorCode | undefined {
  if (TOTP_CODE_SHAPE.test(typed)) return { kind: 'totp', text: typed };
  const text = toHyphens(normalForm(typed, 'NFKC', MAX_CHARACTERS) ?? '').toUpperCase();
  return RECOVERY_CODE_SHAPE.test(text) && !/^[0-9]+$/.test(text) ? { kind: 'recovery', text } : undefined;
}
