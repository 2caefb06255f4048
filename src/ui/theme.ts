import { programVersion } from '../lib/package-root.ts';
import { shownName } from '../settings/application-name.ts';
import type { Settings } from '../settings/table.ts';
import { type Brand, createBrand } from './brand.ts';
import { createCheckedRenderer } from './check-templates.ts';
import type { Renderer } from './render.ts';

/** What makes the pages, and what they are made with. */
export interface Theme {
  brand: Brand;
  renderer: Renderer;
}

/** What pages look like by the settings. Throws SettingsError where templates of the operator cannot be used. */
export function createTheme(settings: Settings): Theme {
  const brand = createBrand(settings);
  const renderer = createCheckedRenderer({
    appName: shownName(settings),
    version: programVersion(),
    providerNames: { codehost: settings.CODEHOST_LABEL, websso: settings.WEBSSO_LABEL },
    home: settings.LOGIN_REDIRECT_URL,
    brand,
    overridesFolder: settings.TEMPLATES_FOLDER,
  });
  return { brand, renderer };
}
