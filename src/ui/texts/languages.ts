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

const fallback: Language = 'en';

function findLanguage(tag: string): Language | undefined {
  const primary = tag.trim().toLowerCase().split('-')[0];
  return primary === 'en' || primary === 'de' ? primary : undefined;
}

function parseRange(range: string): { language: Language | undefined; weight: number } {
  const [tag = '', ...parameters] = range.split(';');
  const quality = parameters.find((parameter) => parameter.trim().startsWith('q='));
  const weight = quality === undefined ? 1 : Number(quality.trim().slice(2));
  const language = tag.trim() === '*' ? fallback : findLanguage(tag);
  return { language, weight: Number.isFinite(weight) ? weight : 0 };
}

/**
 * Picks the language of a page.
 *
 * Needs   acceptLanguage: the request's header, untrusted. fixed: a language the service is set to; it wins when known.
 * Gives   the known language with the highest weight, the first named one among equals; English when none is known.
 * Source  RFC 9110 §12.5.4
 */
export function pickLanguage(acceptLanguage: string | undefined, fixed?: string): Language {
  const set = fixed === undefined ? undefined : findLanguage(fixed);
  if (set !== undefined) return set;
  let best: { language: Language; weight: number } | undefined;
  for (const range of (acceptLanguage ?? '').slice(0, 500).split(',')) {
    const { language, weight } = parseRange(range);
    if (language !== undefined && weight > (best?.weight ?? 0)) best = { language, weight };
  }
  return best?.language ?? fallback;
}
