import { normalForm } from '../lib/normal-form.ts';
import { cleanText, hasUnseen } from '../lib/plain-text.ts';

const MAX_CHARACTERS = 255;
const FORBIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u;
const LATIN = /\p{Script=Latin}/u;
const LATIN_LOOK_ALIKES = /[\p{Script=Cyrillic}\p{Script=Greek}]/u;
/** Matches two spaces in a row, or a space character other than U+0020. */
const ODD_SPACE = /\s\s|[^\S ]/u;

export interface Username {
  /** The name as written, trimmed and in Unicode NFKC. */
  name: string;
  /** The form in which names are compared. Names that differ only in case or composition have the same key. */
  key: string;
}

/** Returns the key of a name, or of a part of a name. */
export const keyOf = (name: string): string => name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');

/**
 * Parses a username.
 *
 * @returns undefined for a text that cannot be a username: not 1 to 255 characters after trimming, or with control,
 *   formatting or unpaired surrogate characters
 * @see RFC 8265 §3 (username case mapped); Unicode TR15, TR36
 */
export function parseUsername(text: string): Username | undefined {
  const name = normalForm(text.trim(), 'NFKC', MAX_CHARACTERS)?.trim();
  if (!name || FORBIDDEN.test(name)) return undefined;
  return { name, key: keyOf(name) };
}

const isReserved = ({ key }: Username): boolean => ['stats', '.', '..'].includes(key);
const looksLikeAnother = ({ name }: Username): boolean =>
  cleanText(name) === '' ||
  hasUnseen(name) ||
  name.includes('\uFFFD') ||
  ODD_SPACE.test(name) ||
  (LATIN.test(name) && LATIN_LOOK_ALIKES.test(name));

/**
 * Returns whether a new user may have a name. Refuses names that are also routes, and path segments that clients remove
 * (`.`, `..`). Also refuses names that look like another name because of invisible or unreadable characters, spaces, or a
 * mixture of similar scripts.
 *
 * Users who already have such a name can still sign in, so `parseUsername` accepts it.
 *
 * @see RFC 8265 §3; RFC 8264 §9.13, §9.14; Unicode TR36 §2
 */
export const isAcceptableNewName = (username: Username): boolean =>
  !isReserved(username) && !looksLikeAnother(username);
