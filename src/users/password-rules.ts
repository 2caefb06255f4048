import type { ErrorName } from '../errors/registry.ts';
import { normalForm } from '../lib/normal-form.ts';
import { type ApplicationName, shownName } from '../settings/application-name.ts';
import { commonPasswords } from './common-passwords.ts';

const MIN_CHARACTERS = 8;
const MAX_CHARACTERS = 255;

/** Which limit of length a password misses; characters are Unicode code points after NFC. */
export function passwordLengthError(
  password: string,
): Extract<ErrorName, 'PASSWORD_TOO_SHORT' | 'PASSWORD_TOO_LONG'> | undefined {
  const normal = normalForm(password, 'NFC', MAX_CHARACTERS);
  if (normal === undefined) return 'PASSWORD_TOO_LONG';
  return [...normal].length < MIN_CHARACTERS ? 'PASSWORD_TOO_SHORT' : undefined;
}

const fold = (text: string): string => text.normalize('NFKC').toLowerCase();

/** A word, and the same without the digits and signs at its end, which people add to it. */
const formsOf = (word: string): string[] => [word, word.replace(/[^\p{L}\p{M}]+$/u, '')].filter(Boolean);

/** The names that a guesser tries first: the user's and those of the application. */
export const contextWords = (username: string, application: ApplicationName): string[] => [
  username,
  application.APP_NAME,
  shownName(application),
];

/**
 * Why a password may not be taken as a new one; undefined when it may.
 *
 * Needs   words: what may not be the password, as contextWords gives them.
 * Source  NIST SP 800-63B §5.1.1.2; ASVS 5.0 6.2.1, 6.2.4, 6.2.5, 6.2.11
 */
export function newPasswordComplaint(password: string, words: readonly string[]): string | undefined {
  const length = passwordLengthError(password);
  if (length === 'PASSWORD_TOO_SHORT') return `the password must be at least ${MIN_CHARACTERS} characters long`;
  if (length === 'PASSWORD_TOO_LONG') return `the password must be at most ${MAX_CHARACTERS} characters long`;
  const plain = fold(password);
  if (commonPasswords().has(plain)) return 'the password is one of the commonest; choose another';
  const forms = formsOf(plain);
  const isContext = words.flatMap((word) => formsOf(fold(word))).some((form) => forms.includes(form));
  return isContext ? 'the password is the name of the user or of the application; choose another' : undefined;
}
