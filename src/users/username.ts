import { normalForm } from '../lib/normal-form.ts';
import { cleanText, hasUnseen } from '../lib/plain-text.ts';

const MAX_CHARACTERS = 255;
const FORBIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u;
const LATIN = /\p{Script=Latin}/u;
const LATIN_LOOK_ALIKES = /[\p{Script=Cyrillic}\p{Script=Greek}]/u;
/** More than one space, or another than the usual one. */
const ODD_SPACE = /\s\s|[^\S ]/u;

export interface Username {
  /** As written, trimmed and in Unicode NFKC. */
  name: string;
  /** Equal for names that differ in case or composition only. */
  key: string;
}

/**
 * Reads a login name.
 *
 * Gives   undefined for text that can be no name: not 1 to 255 characters after trimming, or with control,
 *         formatting or unpaired characters.
 * Source  RFC 8265 §3 (username case mapped); Unicode TR15, TR36
 */
export function parseUsername(text: string): Username | undefined {
  const name = normalForm(text.trim(), 'NFKC', MAX_CHARACTERS)?.trim();
  if (!name || FORBIDDEN.test(name)) return undefined;
  return { name, key: name.toUpperCase().toLowerCase().normalize('NFKC') };
}

const isReserved = ({ key }: Username): boolean => ['stats', '.', '..'].includes(key);
const looksLikeAnother = ({ name }: Username): boolean =>
  cleanText(name) === '' ||
  hasUnseen(name) ||
  name.includes('\uFFFD') ||
  ODD_SPACE.test(name) ||
  (LATIN.test(name) && LATIN_LOOK_ALIKES.test(name));

/**
 * Whether a name may be given to a new user: not reserved for a route, no part of a path that clients leave out, and
 * none that looks like another by what does not show or could not be read, by its spaces, or by a mixture of scripts that look alike.
 *
 * Why     users who have such a name already go on signing in by it, so parseUsername reads it.
 * Source  RFC 8265 §3; RFC 8264 §9.13, §9.14; Unicode TR36 §2
 */
export const isAcceptableNewName = (username: Username): boolean =>
  !isReserved(username) && !looksLikeAnother(username);
