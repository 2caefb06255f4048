import { AppError } from '../errors/app-error.ts';
import type { ErrorName } from '../errors/registry.ts';
import { cleanText } from '../lib/plain-text.ts';

const MAX_CHARACTERS = 200;
const MAX_NAMES = 20;
const MAX_NAME_CHARACTERS = 40;
/** Shorter texts are not treated as secrets, because replacing them would damage ordinary words. */
const MIN_SECRET = 4;
const REMOVED = '[removed]';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Matches a JWT, or a long run of the characters that tokens consist of. */
const OPAQUE = /\beyJ[\w-]+(?:\.[\w-]*)+|[\w+=~-]{20,}/g;

const isWord = (text: string): boolean => UUID.test(text) || !/\d/.test(text) || !/[a-z]/i.test(text);

/**
 * Makes a text from a provider or a browser safe for the log. The result is one line, shortened, and has no part that is
 * or looks like a secret.
 *
 * @param secrets the secrets of this sign-in: code, client secret, tokens
 */
export function logText(text: string, secrets: readonly string[] = [], maximum = MAX_CHARACTERS): string {
  const known = secrets.filter((secret) => secret.length >= MIN_SECRET);
  const forms = known.flatMap((secret) => [secret, encodeURIComponent(secret)]);
  const clean = forms
    .reduce((rest, secret) => rest.replaceAll(secret, REMOVED), cleanText(text))
    .replace(OPAQUE, (run) => (isWord(run) ? run : REMOVED));
  return clean.length > maximum ? `${clean.slice(0, maximum)}…` : clean;
}

/** Puts an untrusted text in quotation marks, to be part of a sentence in the log. */
export const quoted = (text: string, secrets?: readonly string[]): string => JSON.stringify(logText(text, secrets));

/** Lists the names of the fields of a reply, without their values, for the log. */
export function fieldNames(fields: object): string {
  const names = Object.keys(fields);
  const shown = names.slice(0, MAX_NAMES).map((name) => logText(name, [], MAX_NAME_CHARACTERS));
  const more = names.length - shown.length;
  return `${shown.join(', ') || 'none'}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Creates the error of a failed sign-in through a provider. `words` appear only in the log. */
export const fault = (name: ErrorName, words: string): AppError => new AppError(name, { cause: new Error(words) });
