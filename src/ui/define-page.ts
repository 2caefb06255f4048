import type { Language } from './texts/languages.ts';

/** The texts of a page in one language. A text with values is a function. */
export interface PageTexts {
  readonly [text: string]: unknown;
  /** The texts for the page's script, in which a value has the form {name}. */
  readonly browser?: Readonly<Record<string, string>>;
}

/** What a page's template must contain so that its script works. */
export interface PageScript {
  /** The ids of the elements that the script looks up. */
  ids: readonly string[];
  /** Whether the page is useless without its script. If so, the operator's template must load the script too. */
  isNeeded?: boolean;
  /** Whether the script shows errors of the service. If so, the page includes their texts. */
  showsRefusals?: boolean;
}

/** Converts a realistic text to the text of a sample. Tests replace it with markup; screenshots keep it. */
export type SampleText = (text: string) => string;

interface PageDefinition<Data extends object, Texts extends PageTexts> {
  /** The name of the page's folder, of its built template (NAME.eta) and of its built script (NAME.js). */
  name: string;
  texts: { en: Texts; de: NoInfer<Texts> };
  script?: PageScript;
  /**
   * The styles of a page that cannot load a style sheet, because it is shown at the URL of another host. The accent
   * colour is added.
   */
  inlineStyle?: string;
  /**
   * Creates sample data for each state of the page, by the name of the state. Together the samples reach every branch of
   * the template. Every text that a person or a program can choose is passed through `text`. `language` is the language
   * of texts that the service itself writes into the data.
   */
  samples: (text: SampleText, language?: Language) => Readonly<Record<string, Data>>;
}

/**
 * A page that the service can show: its template, texts, script and sample data. `Data` is the data that its template
 * needs.
 */
export interface Page<Data extends object = object> {
  readonly name: string;
  readonly texts: Readonly<Record<Language, PageTexts>>;
  readonly script: PageScript | undefined;
  readonly inlineStyle: string | undefined;
  readonly samples: (text: SampleText, language?: Language) => Readonly<Record<string, Data>>;
}

/**
 * Defines a page. Its other files are in the folder of the caller: template.eta, script.ts and style.css.
 *
 * @returns the page, for `renderPage` and for the list in src/pages.ts
 */
export function definePage<Data extends object, Texts extends PageTexts>(
  page: PageDefinition<Data, Texts>,
): Page<Data> {
  return { script: undefined, inlineStyle: undefined, ...page };
}

/** Returns the key of a page's texts in `it.t`; for the page `two-factor` it is `twoFactor`. */
export const textsKeyOf = ({ name }: Page): string =>
  name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
