import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Eta, type Options, type TemplateFunction } from 'eta';
import { type ErrorName, errorRegistry } from '../errors/registry.ts';
import { packageRoot } from '../lib/package-root.ts';
import type { ProviderType } from '../settings/provider-fields.ts';
import type { Brand } from './brand.ts';
import { type Page, textsKeyOf } from './define-page.ts';
import { initialsOf, toneOf, tonesOf } from './initials.ts';
import type { Refusal } from './refusal.ts';
import { daySpeller } from './spell-day.ts';
import { spellWait } from './spell-wait.ts';
import type { ErrorText } from './texts/errors-en.ts';
import { type Language, languages } from './texts/languages.ts';

/** The data that all pages share. */
export interface RendererOptions {
  appName: string;
  version: string;
  /** The providers of social sign-in, with label and protocol. */
  providers: readonly { name: string; label: string; type: ProviderType }[];
  /** The URL of the application, for links to its start page. */
  home: string;
  /** The URL for people who need help. */
  supportUrl?: string | undefined;
  brand: Pick<Brand, 'styles' | 'inlineStyles' | 'logo' | 'providerLogos' | 'isOwn'>;
  /** The operator's templates, by their path inside the folder of templates. */
  overrides?: ReadonlyMap<string, string>;
  /** Returns the URL path of a style sheet, script or picture by its name. */
  asset: (name: string) => string;
  /** Whether errors name the line of the template. This makes rendering slower. */
  debug?: boolean;
}

/** Renders pages. */
export interface Renderer {
  /** Returns the whole HTML document of a page. Every value in it is escaped. */
  page<Data extends object>(page: Page<Data>, data: NoInfer<Data>, options: { language: Language }): string;
  /**
   * Returns all styles of a page that loads no style sheet, with the operator's accent colour. Returns undefined for a
   * page that loads its styles.
   */
  inlineStyleOf(page: Pick<Page, 'inlineStyle'>): string | undefined;
}

/** Returns whether a URL is a page of authsvc, on any host. */
const isOwnPage = (address: string): boolean => /^(?:https?:\/\/[^/?#]+)?\/authsvc(?:[/?#]|$)/.test(address);

/** Returns the words for an error. If the error asks to wait, the words say how long. */
function wordsIn(language: Language, error: ErrorName | Refusal): ErrorText {
  const { errors, texts } = languages[language];
  const { code, waitSeconds }: Refusal = typeof error === 'string' ? { code: error } : error;
  const { message, hint } = errors[code] ?? errorRegistry[code];
  const wait = waitSeconds && texts.browser.waitMessage.replace('{time}', spellWait(waitSeconds, language));
  return { message, hint: wait || hint };
}

/** Returns the data that all templates get besides their own data and texts. */
export function sharedData(options: RendererOptions, language: Language) {
  const { appName, version, providers, home, supportUrl, asset } = options;
  const { styles, logo, providerLogos, isOwn } = options.brand;
  const { dir, errors } = languages[language];
  return {
    errors,
    wordsOf: (error: ErrorName | Refusal): ErrorText => wordsIn(language, error),
    lang: language,
    dir,
    appName,
    version,
    providerNames: Object.fromEntries(providers.map(({ name, label }) => [name, label])),
    providerTypes: Object.fromEntries(providers.map(({ name, type }) => [name, type])),
    home,
    isHomeElsewhere: !isOwnPage(home),
    supportUrl,
    brand: { styles, logo, providerLogos, isOwn },
    asset,
    spellWait: (seconds: number) => spellWait(seconds, language),
    spellDay: daySpeller(language),
    initialsOf,
    toneOf,
    tonesOf,
  };
}

/**
 * Returns the data that the templates of one page get: its texts under its name, the shared texts, and the texts for its
 * script.
 */
function pageData(page: Page, language: Language, escaped: (text: string) => string) {
  const { texts: shared } = languages[language];
  const own = page.texts[language];
  const browser = { ...shared.browser, ...own.browser };
  return {
    t: { ...shared, browser, [textsKeyOf(page)]: own },
    showsRefusals: page.script?.showsRefusals === true,
    // The layout writes this into an attribute. It is escaped here once, because it is long and the same for every
    // visitor.
    scriptTexts: escaped(JSON.stringify(browser)),
  };
}

/** Returns the folder of the service's own templates. */
export const templatesFolder = (): string => join(packageRoot(), 'dist/ui/templates');

/** A compiled template, with the options that it is called with. */
interface Known {
  run: TemplateFunction;
  options: { filepath: string };
}

/**
 * Makes Eta find and compile a template only once for each template that includes it. By itself, Eta looks for the file
 * at every use.
 */
function keepTemplates(eta: Eta): void {
  const known = new Map<string, Map<string, Known>>();
  const find = (template: string, from: Partial<Options> | undefined): Known => {
    const filepath = eta.resolvePath?.(template, from) ?? template;
    const found = { run: eta.compile(eta.readFile?.(filepath) ?? '', { filepath }), options: { filepath } };
    const place = from?.filepath ?? '';
    known.set(place, (known.get(place) ?? new Map<string, Known>()).set(template, found));
    return found;
  };
  eta.render = (template, data, from) => {
    if (typeof template !== 'string') return template.call(eta, data, { ...from });
    const { run, options } = known.get(from?.filepath ?? '')?.get(template) ?? find(template, from);
    return run.call(eta, data, options);
  };
}

/**
 * Creates the renderer of the service's pages. Templates are compiled on first use and cached.
 *
 * @returns a renderer whose `page` throws if a template or an asset is missing, which happens only if the build is
 *   incomplete
 */
export function createRenderer(options: RendererOptions): Renderer {
  const { overrides, debug = false } = options;
  const views = templatesFolder();
  const eta = new Eta({ views, cache: true, autoEscape: true, autoTrim: [false, 'nl'], debug });
  keepTemplates(eta);
  if (overrides) {
    eta.readFile = (path) => overrides.get(relative(views, path).replaceAll('\\', '/')) ?? readFileSync(path, 'utf8');
  }
  const shared = { en: sharedData(options, 'en'), de: sharedData(options, 'de') };
  const inlineStyleOf = ({ inlineStyle }: Pick<Page, 'inlineStyle'>): string | undefined =>
    inlineStyle === undefined ? undefined : inlineStyle + options.brand.inlineStyles;
  const known = new Map<string, object>();
  const pageDataOf = (page: Page, language: Language): object => {
    const key = `${language} ${page.name}`;
    const data = known.get(key) ?? {
      ...pageData(page, language, (text) => eta.config.escapeFunction(text)),
      inlineStyle: inlineStyleOf(page),
    };
    known.set(key, data);
    return data;
  };
  return {
    inlineStyleOf,
    page: (page, data, { language }) =>
      eta.render(page.name, { ...data, ...shared[language], ...pageDataOf(page, language) }),
  };
}
