import Negotiator from 'negotiator';
import { de } from './de.ts';
import { en } from './en.ts';
import { errorsDe } from './errors-de.ts';
import { type ErrorText, errorsEn } from './errors-en.ts';

/** The texts that all pages share, in one language. The English texts define the type of the others. */
export type Texts = typeof en;

/** A language code, as in the attribute `lang`. */
export type Language = 'en' | 'de';

/** The shared texts of a language, the direction of its script, and its texts of errors, by error code. */
export interface Tongue {
  dir: 'ltr' | 'rtl';
  texts: Texts;
  errors: Readonly<Record<string, ErrorText>>;
}

/** The languages of the pages. */
export const languages: Record<Language, Tongue> = {
  en: { dir: 'ltr', texts: en, errors: errorsEn },
  de: { dir: 'ltr', texts: de, errors: errorsDe },
};

const known: readonly Language[] = ['en', 'de'];

/**
 * Picks the language of a page.
 *
 * @param acceptLanguage the Accept-Language header of the request, untrusted
 * @param fixed the language in the settings; it wins if it is known
 * @returns the known language that the header prefers most; English if it names none
 * @see RFC 9110 §12.5.4
 */
export function pickLanguage(acceptLanguage: string | undefined, fixed?: string): Language {
  const asked = new Negotiator({ headers: { 'accept-language': acceptLanguage ?? '*' } }).language(known);
  return known.find((language) => language === fixed) ?? known.find((language) => language === asked) ?? 'en';
}
