import { AppError } from '../errors/app-error.ts';
import { normalForm } from '../lib/normal-form.ts';
import { cleanText } from '../lib/plain-text.ts';

const MAX_TEXT = 255;
const MAX_IMAGE = 2048;
const MAX_APPS = 100;
/** Joiners are not among them, because some scripts need them. */
const UNFIT = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

/**
 * A text of one line in NFC: empty, or with at least one visible character.
 *
 * @param field its name in JSON, for the refusal
 * @throws AppError FIELD_INVALID
 */
export function requirePlainText(text: string, field: string, maximum: number): string {
  const plain = normalForm(text.trim(), 'NFC', maximum);
  const isShown = plain === '' || (plain !== undefined && cleanText(plain) !== '');
  if (plain !== undefined && isShown && !UNFIT.test(plain)) return plain;
  throw new AppError('FIELD_INVALID', { field, maximum });
}

/**
 * A display name.
 *
 * @throws AppError FIELD_INVALID
 */
export const parseFullName = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : requirePlainText(text, 'full_name', MAX_TEXT);

/**
 * Names of applications without duplicates, compared without case.
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
 * A known role.
 *
 * @param roles the setting ROLES
 * @throws AppError FIELD_INVALID
 */
export function parseRole(text: string | undefined, roles: readonly string[]): string | undefined {
  if (text === undefined || roles.includes(text)) return text;
  throw new AppError('FIELD_INVALID', { field: 'role', allowed: roles });
}

/** Whether a browser may be redirected to the address of a picture. */
export function isWebAddress(text: string): boolean {
  return URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);
}

/**
 * The address of a picture as its user gives it: empty, or one that a browser may be sent to.
 *
 * @throws AppError FIELD_INVALID
 */
export function parseImageAddress(text: string | undefined): string | undefined {
  const image = parseImage(text);
  if (image && !isWebAddress(image)) throw new AppError('FIELD_INVALID', { field: 'image' });
  return image;
}

/**
 * The address of a picture. One that is no web address is kept and never shown.
 *
 * @throws AppError FIELD_INVALID
 */
export const parseImage = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : requirePlainText(text, 'image', MAX_IMAGE);
