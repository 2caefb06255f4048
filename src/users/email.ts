import { AppError } from '../errors/app-error.ts';
import { type Email, parseEmail } from '../lib/email-address.ts';

/**
 * Reads an e-mail address for storing.
 *
 * @throws AppError EMAIL_INVALID
 */
export function requireEmail(text: string): Email {
  const email = parseEmail(text);
  if (!email) throw new AppError('EMAIL_INVALID', { field: 'email' });
  return email;
}

/**
 * An e-mail address as a field of a user: null or an empty text is none.
 *
 * @throws AppError EMAIL_INVALID
 */
export function parseEmailField(text: string | null | undefined): Email | null | undefined {
  if (text === undefined) return undefined;
  return text === null || text.trim() === '' ? null : requireEmail(text);
}
