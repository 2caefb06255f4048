import { join } from 'node:path';
import { Eta } from 'eta';
import { packageRoot } from '../kit/package-root.ts';
import { assetPath } from './assets.ts';
import { initialsOf, toneOf } from './initials.ts';
import type { PageData, Provider, TemplateName } from './page-data.ts';
import { type Language, languages } from './texts/languages.ts';

export type { PageData, TemplateName } from './page-data.ts';

/** What every page shows besides its own data. */
export interface RendererOptions {
  appName: string;
  version: string;
  /** What the buttons call the providers. */
  providerNames: Record<Provider, string>;
  /** Another folder of templates than the one beside this file. */
  templatesFolder?: string;
  /** Where the styles and scripts are; from the build unless a test says otherwise. */
  asset?: (name: string) => string;
}

/** Makes pages. */
export interface Renderer {
  /** The whole HTML document of a page, every value in it escaped. */
  page<Name extends TemplateName>(template: Name, data: PageData[Name], options: { language: Language }): string;
}

/**
 * Makes the renderer of the service's pages. Templates are compiled on first use and kept.
 *
 * Gives   page(): throws when a template or an asset is missing, which only an unfinished build can cause.
 */
export function createRenderer(options: RendererOptions): Renderer {
  const { appName, version, providerNames, asset = assetPath } = options;
  const views = options.templatesFolder ?? join(packageRoot(), 'dist/ui/templates');
  const eta = new Eta({ views, cache: true, autoEscape: true, autoTrim: [false, 'nl'] });
  return {
    page(template, data, { language }) {
      const { dir, texts, errors } = languages[language];
      const shared = {
        t: texts,
        errors,
        lang: language,
        dir,
        appName,
        version,
        providerNames,
        asset,
        initialsOf,
        toneOf,
      };
      return eta.render(template, { ...data, ...shared });
    },
  };
}
