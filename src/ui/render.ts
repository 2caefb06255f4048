import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Eta } from 'eta';
import { packageRoot } from '../lib/package-root.ts';
import { assetPath } from './assets.ts';
import type { Brand } from './brand.ts';
import { initialsOf, toneOf, tonesOf } from './initials.ts';
import type { PageData, Provider, TemplateName } from './page-data.ts';
import { spellWait } from './spell-wait.ts';
import { type Language, languages } from './texts/languages.ts';

export type { PageData, TemplateName } from './page-data.ts';

/** What every page shows besides its own data. */
export interface RendererOptions {
  appName: string;
  version: string;
  /** What the buttons call the providers. */
  providerNames: Record<Provider, string>;
  /** Where the application is, for ways that lead to its start. */
  home: string;
  brand: Pick<Brand, 'styles' | 'logo' | 'providerLogos'>;
  /** Templates of the operator's, by their path below the folder of templates. */
  overrides?: ReadonlyMap<string, string>;
  /** Another folder of templates than that of the build. */
  templatesFolder?: string;
  /** Where the styles and scripts are; from the build unless a test says otherwise. */
  asset?: (name: string) => string;
  /** Errors name the line of the template; slower. */
  debug?: boolean;
}

/** Makes pages. */
export interface Renderer {
  /** The whole HTML document of a page, every value in it escaped. */
  page<Name extends TemplateName>(template: Name, data: PageData[Name], options: { language: Language }): string;
}

/** Whether an address leads to a page of such a service, on whichever host. */
const isOwnPage = (address: string): boolean => /^(?:https?:\/\/[^/?#]+)?\/authsvc(?:[/?#]|$)/.test(address);

/** What the templates of all pages have, besides the data of their own page. */
export function sharedData(options: RendererOptions, language: Language) {
  const { appName, version, providerNames, home, asset = assetPath } = options;
  const { styles, logo, providerLogos } = options.brand;
  const { dir, texts, errors } = languages[language];
  return {
    t: texts,
    errors,
    lang: language,
    dir,
    appName,
    version,
    providerNames,
    home,
    isHomeElsewhere: !isOwnPage(home),
    brand: { styles, logo, providerLogos },
    asset,
    spellWait: (seconds: number) => spellWait(seconds, language),
    initialsOf,
    toneOf,
    tonesOf,
  };
}

/** Where the templates are that nobody has replaced. */
export const templatesFolder = (options: Pick<RendererOptions, 'templatesFolder'>): string =>
  options.templatesFolder ?? join(packageRoot(), 'dist/ui/templates');

/**
 * Makes the renderer of the service's pages. Templates are compiled on first use and kept.
 *
 * Gives   page(): throws when a template or an asset is missing, which only an unfinished build can cause.
 */
export function createRenderer(options: RendererOptions): Renderer {
  const { overrides, debug = false } = options;
  const views = templatesFolder(options);
  const eta = new Eta({ views, cache: true, autoEscape: true, autoTrim: [false, 'nl'], debug });
  if (overrides) {
    eta.readFile = (path) => overrides.get(relative(views, path).replaceAll('\\', '/')) ?? readFileSync(path, 'utf8');
  }
  const shared = { en: sharedData(options, 'en'), de: sharedData(options, 'de') };
  return { page: (template, data, { language }) => eta.render(template, { ...data, ...shared[language] }) };
}
