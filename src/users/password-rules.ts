import { AppError } from '../errors/app-error.ts';
import type { ErrorName } from '../errors/registry.ts';
import { normalForm } from '../lib/normal-form.ts';
import { type ApplicationName, shownName } from '../settings/application-name.ts';
import { commonPasswords } from './common-passwords.ts';

const MIN_CHARACTERS = 8;
const MAX_CHARACTERS = 255;

/**
 * Returns the error if a password is too short or too long. Characters are Unicode code points after normalization to
 * NFC.
 */
export function passwordLengthError(
  password: string,
): Extract<ErrorName, 'PASSWORD_TOO_SHORT' | 'PASSWORD_TOO_LONG'> | undefined {
  const normal = normalForm(password, 'NFC', MAX_CHARACTERS);
  if (normal === undefined) return 'PASSWORD_TOO_LONG';
  return [...normal].length < MIN_CHARACTERS ? 'PASSWORD_TOO_SHORT' : undefined;
}

const fold = (text: string): string => text.normalize('NFKC').toLowerCase();

/** Returns a word, and the same word without the digits and signs that people append to it. */
const formsOf = (word: string): string[] => [word, word.replace(/[^\p{L}\p{M}]+$/u, '')].filter(Boolean);

/** Returns the names that an attacker tries first: the username and the names of the application. */
export const contextWords = (username: string, application: ApplicationName): string[] => [
  username,
  application.APP_NAME,
  shownName(application),
];

/**
 * Returns the error for a new password that may not be used; undefined for an acceptable one.
 *
 * @param words texts that may not be the password, from `contextWords`
 * @returns PASSWORD_TOO_COMMON has the `reason` `common` for a common password and `context` for one of `words`
 * @see NIST SP 800-63B §5.1.1.2; ASVS 5.0 6.2.1, 6.2.4, 6.2.5, 6.2.11
 */
export function newPasswordRefusal(password: string, words: readonly string[]): AppError | undefined {
  const length = passwordLengthError(password);
  if (length) return new AppError(length, { field: 'new_password' });
  const plain = fold(password);
  if (commonPasswords().has(plain))
    return new AppError('PASSWORD_TOO_COMMON', { field: 'new_password', reason: 'common' });
  const forms = formsOf(plain);
  const isContext = words.flatMap((word) => formsOf(fold(word))).some((form) => forms.includes(form));
  return isContext ? new AppError('PASSWORD_TOO_COMMON', { field: 'new_password', reason: 'context' }) : undefined;
}
