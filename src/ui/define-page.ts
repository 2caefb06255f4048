import type { Language } from './texts/languages.ts';

/** The texts of a page in one language. Texts with values are functions. */
export interface PageTexts {
  readonly [text: string]: unknown;
  /** The texts of the page's script, which takes values as {name}. */
  readonly browser?: Readonly<Record<string, string>>;
}

/** What a page's template must provide for its script. */
export interface PageScript {
  /** The ids of the elements that the script looks up. */
  ids: readonly string[];
  /** Whether the page is useless without its script. A template without the script is then refused. */
  isNeeded?: boolean;
  /** Whether the script shows errors of the service. The page then includes their texts. */
  showsRefusals?: boolean;
}

/** Turns a realistic text into the text of a sample. Tests replace it with markup; screenshots keep it. */
export type SampleText = (text: string) => string;

interface PageDefinition<Data extends object, Texts extends PageTexts> {
  /** The name of the page's folder, and of its built template (NAME.eta) and script (NAME.js). */
  name: string;
  texts: { en: Texts; de: NoInfer<Texts> };
  script?: PageScript;
  /** The styles of a page that can load none, because it is shown at another host's address. The accent is added. */
  inlineStyle?: string;
  /**
   * Data for each state of the page, by the name of the state. Together they cover every branch of the template. Every
   * text that a person or a program can choose goes through `text`. `language`: of the words that a rule has put into
   * the data.
   */
  samples: (text: SampleText, language?: Language) => Readonly<Record<string, Data>>;
}

/** A page that the service can show: its template, texts, script and sample data. `Data` is what its template needs. */
export interface Page<Data extends object = object> {
  readonly name: string;
  readonly texts: Readonly<Record<Language, PageTexts>>;
  readonly script: PageScript | undefined;
  readonly inlineStyle: string | undefined;
  readonly samples: (text: SampleText, language?: Language) => Readonly<Record<string, Data>>;
}

/**
 * Defines a page. The other parts of the page are files beside the caller: template.eta, script.ts and style.css.
 *
 * @returns the page, for `renderPage` and for the list in src/pages.ts
 */
export function definePage<Data extends object, Texts extends PageTexts>(
  page: PageDefinition<Data, Texts>,
): Page<Data> {
  return { script: undefined, inlineStyle: undefined, ...page };
}

/** The key of a page's texts in `it.t`: `two-factor` is `twoFactor`. */
export const textsKeyOf = ({ name }: Page): string =>
  name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
