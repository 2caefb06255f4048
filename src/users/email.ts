import { AppError } from '../errors/app-error.ts';
import { type Email, parseEmail } from '../lib/email-address.ts';

/**
 * Parses an e-mail address, and returns it in the form in which it is stored.
 *
 * @throws AppError EMAIL_INVALID
 */
export function requireEmail(text: string): Email {
  const email = parseEmail(text);
  if (!email) throw new AppError('EMAIL_INVALID', { field: 'email' });
  return email;
}

/**
 * Parses the field for a user's e-mail address. Null or an empty text means that the user has no address.
 *
 * @throws AppError EMAIL_INVALID
 */
export function parseEmailField(text: string | null | undefined): Email | null | undefined {
  if (text === undefined) return undefined;
  return text === null || text.trim() === '' ? null : requireEmail(text);
}
