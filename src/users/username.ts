import { normalForm } from '../kit/normal-form.ts';

const MAX_CHARACTERS = 255;
const FORBIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u;
const LATIN = /\p{Script=Latin}/u;
const LATIN_LOOK_ALIKES = /[\p{Script=Cyrillic}\p{Script=Greek}]/u;

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

/** Whether a name may be given to a new user: not reserved for a route, no part of a path that clients leave out, not a mixture of scripts that look alike. */
export function isAcceptableNewName({ name, key }: Username): boolean {
  return !['stats', '.', '..'].includes(key) && !(LATIN.test(name) && LATIN_LOOK_ALIKES.test(name));
}
