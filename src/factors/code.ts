import { toHyphens } from '../lib/dashes.ts';
import { normalForm } from '../lib/normal-form.ts';
import { TOTP_CODE_SHAPE } from '../lib/totp.ts';
import { RECOVERY_CODE_SHAPE } from './recovery-codes.ts';

const MAX_CHARACTERS = 11;

/** A typed code of the second factor. */
export interface SecondFactorCode {
  kind: 'totp' | 'recovery';
  text: string;
}

/** A code as people type it in groups, without the spaces. */
export const withoutSpaces = (typed: string): string => typed.replace(/\s/g, '');

/**
 * Reads a code: six digits, or a recovery code, in any case, with any dash and in full-width letters. A form takes
 * it with spaces, which `withoutSpaces` removes.
 *
 * @returns undefined for anything else; ten digits without a hyphen count as a wrong code of an app
 * @see docs/interface.md POST /authsvc/api/verify-2fa: the digits of an authenticator app are 0 to 9 alone
 */
export function parseCode(typed: string): SecondFactorCode | undefined {
  if (TOTP_CODE_SHAPE.test(typed)) return { kind: 'totp', text: typed };
  const text = toHyphens(normalForm(typed, 'NFKC', MAX_CHARACTERS) ?? '').toUpperCase();
  return RECOVERY_CODE_SHAPE.test(text) && !/^[0-9]+$/.test(text) ? { kind: 'recovery', text } : undefined;
}
