import Negotiator from 'negotiator';
import { de } from './de.ts';
import { en } from './en.ts';
import { type ErrorText, errorsDe } from './errors-de.ts';

/** Every text of every page in one language; English is the model that the others are checked against. */
export type Texts = typeof en;

/** A language as the `lang` attribute names it. */
export type Language = 'en' | 'de';

/** A language's texts, the direction its script runs in, and its words for refusals, by their code. */
export interface Tongue {
  dir: 'ltr' | 'rtl';
  texts: Texts;
  /** Empty for English, which the service itself answers in. */
  errors: Readonly<Record<string, ErrorText>>;
}

/** The languages the pages speak. */
export const languages: Record<Language, Tongue> = {
  en: { dir: 'ltr', texts: en, errors: {} },
  de: { dir: 'ltr', texts: de, errors: errorsDe },
};

const known: readonly Language[] = ['en', 'de'];

/**
 * Picks the language of a page.
 *
 * Needs   acceptLanguage: the request's header, untrusted. fixed: a language the service is set to; it wins when known.
 * Gives   the known language with the highest weight; English when none is known.
 * Source  RFC 9110 §12.5.4
 */
export function pickLanguage(acceptLanguage: string | undefined, fixed?: string): Language {
  const asked = new Negotiator({ headers: { 'accept-language': acceptLanguage ?? '*' } }).language(known);
  return known.find((language) => language === fixed) ?? known.find((language) => language === asked) ?? 'en';
}
