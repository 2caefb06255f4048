import { Refusal } from '../command/refusal.ts';
import { normalForm } from '../lib/normal-form.ts';
import { cleanText } from '../lib/plain-text.ts';

const MAX_TEXT = 255;
const MAX_IMAGE = 2048;
const MAX_APPS = 100;
/** Joiners are none of them: they belong to some scripts. */
const UNFIT = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

function requirePlainText(text: string, what: string, maximum: number): string {
  const plain = normalForm(text.trim(), 'NFC', maximum);
  const isShown = plain === '' || (plain !== undefined && cleanText(plain) !== '');
  if (plain !== undefined && isShown && !UNFIT.test(plain)) return plain;
  throw new Refusal(
    `The ${what} must be at most ${maximum} characters without control characters and marks of direction, and not only such that show nothing.`,
  );
}

/** A display name. Throws a Refusal. */
export const parseFullName = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : requirePlainText(text, 'full name', MAX_TEXT);

/** Names of applications, each kept once whatever its case. Throws a Refusal. */
export function parseAppNames(names: string[] | undefined): string[] | undefined {
  if (names === undefined) return undefined;
  const parsed = names.map((name) => requirePlainText(name, 'application', MAX_TEXT)).filter((name) => name !== '');
  if (parsed.length > MAX_APPS) throw new Refusal(`A user can have at most ${MAX_APPS} applications.`);
  return parsed.filter((name, at) => parsed.findIndex((other) => other.toLowerCase() === name.toLowerCase()) === at);
}

/** Whether a browser may be sent to a picture's address. */
export function isWebAddress(text: string): boolean {
  return URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);
}

/** The address of a picture. One that is no web address is kept and never shown, which `warn` is told. */
export function parseImage(text: string | undefined, warn: (text: string) => void): string | undefined {
  if (text === undefined) return undefined;
  const image = requirePlainText(text, 'image', MAX_IMAGE);
  if (image !== '' && !isWebAddress(image)) warn('The image is no http or https address and will not be shown.');
  return image;
}
