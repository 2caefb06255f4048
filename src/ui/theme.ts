import { programVersion } from '../lib/package-root.ts';
import { shownName } from '../settings/application-name.ts';
import type { Settings } from '../settings/table.ts';
import { type Assets, createAssets } from './assets.ts';
import { type Brand, createBrand } from './brand.ts';
import { createCheckedRenderer } from './check-templates.ts';
import type { Page } from './define-page.ts';
import type { Renderer } from './render.ts';

/** The renderer of the pages, with the assets and the brand that it uses. */
export interface Theme {
  assets: Assets;
  brand: Brand;
  renderer: Renderer;
}

/**
 * Creates the renderer of the pages from the settings.
 *
 * @param pages every page of the service. The operator's templates are tested with them
 * @throws SettingsError if the operator's templates cannot be used
 */
export function createTheme(settings: Settings, pages: readonly Page[]): Theme {
  const assets = createAssets();
  const brand = createBrand(settings);
  const renderer = createCheckedRenderer({
    appName: shownName(settings),
    version: programVersion(),
    providers: settings.identityProviders,
    home: settings.LOGIN_REDIRECT_URL,
    supportUrl: settings.SUPPORT_URL,
    brand,
    asset: assets.path,
    pages,
    overridesFolder: settings.TEMPLATES_FOLDER,
  });
  return { assets, brand, renderer };
}
