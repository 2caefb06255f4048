import { AppError } from '../errors/app-error.ts';
import { normalForm } from '../lib/normal-form.ts';
import { cleanText } from '../lib/plain-text.ts';

const MAX_TEXT = 255;
const MAX_IMAGE = 2048;
const MAX_APPS = 100;
/** Matches characters that a text of one line may not have. Joiners are allowed, because some scripts need them. */
const UNFIT = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

/**
 * Checks a text of one line and returns it in NFC. The text is empty or has at least one visible character.
 *
 * @param field JSON name of the field, for the error
 * @throws AppError FIELD_INVALID
 */
export function requirePlainText(text: string, field: string, maximum: number): string {
  const plain = normalForm(text.trim(), 'NFC', maximum);
  const isShown = plain === '' || (plain !== undefined && cleanText(plain) !== '');
  if (plain !== undefined && isShown && !UNFIT.test(plain)) return plain;
  throw new AppError('FIELD_INVALID', { field, maximum });
}

/**
 * Parses a display name.
 *
 * @throws AppError FIELD_INVALID
 */
export const parseFullName = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : requirePlainText(text, 'full_name', MAX_TEXT);

/**
 * Parses names of applications and removes duplicates. Names that differ only in case are duplicates.
 *
 * @throws AppError FIELD_INVALID
 */
export function parseAppNames(names: string[] | undefined): string[] | undefined {
  if (names === undefined) return undefined;
  const parsed = names.map((name) => requirePlainText(name, 'allowed_apps', MAX_TEXT)).filter((name) => name !== '');
  if (parsed.length > MAX_APPS)
    throw new AppError('FIELD_INVALID', { field: 'allowed_apps', reason: 'too-many', maximum: MAX_APPS });
  return parsed.filter((name, at) => parsed.findIndex((other) => other.toLowerCase() === name.toLowerCase()) === at);
}

/**
 * Parses a role.
 *
 * @param roles the roles in the setting ROLES
 * @throws AppError FIELD_INVALID if the role is not one of `roles`
 */
export function parseRole(text: string | undefined, roles: readonly string[]): string | undefined {
  if (text === undefined || roles.includes(text)) return text;
  throw new AppError('FIELD_INVALID', { field: 'role', allowed: roles });
}

/** Returns whether a text is an http or https URL, to which a browser may be redirected. */
export function isWebAddress(text: string): boolean {
  return URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);
}

/**
 * Parses the URL of a picture that a user sets: empty, or an http or https URL.
 *
 * @throws AppError FIELD_INVALID
 */
export function parseImageAddress(text: string | undefined): string | undefined {
  const image = parseImage(text);
  if (image && !isWebAddress(image)) throw new AppError('FIELD_INVALID', { field: 'image' });
  return image;
}

/**
 * Parses the URL of a picture that an operator sets. A text that is not an http or https URL is stored but never shown.
 *
 * @throws AppError FIELD_INVALID
 */
export const parseImage = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : requirePlainText(text, 'image', MAX_IMAGE);
