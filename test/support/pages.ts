import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createAssets } from '../../src/ui/assets.ts';
import type { Page, SampleText } from '../../src/ui/define-page.ts';
import { createRenderer, type RendererOptions } from '../../src/ui/render.ts';
import type { Language } from '../../src/ui/texts/languages.ts';
import { partsTemplate } from './parts-page/page.ts';

export const pageLanguages: readonly Language[] = ['en', 'de'];

export const rendererOptions = {
  appName: 'Harbour',
  version: '1.2.3',
  providers: [
    { name: 'codehost', label: 'GitLab', type: 'oauth2' },
    { name: 'websso', label: 'Company login', type: 'oidc' },
  ],
  home: '/dashboard',
  supportUrl: 'https://help.example.com/',
  brand: { styles: undefined, inlineStyles: '', logo: undefined, providerLogos: {}, isOwn: false },
  asset: createAssets().path,
} satisfies RendererOptions;

const renderer = createRenderer({ ...rendererOptions, overrides: partsTemplate });

/** Renders a page of the service, or the page of the shared parts. */
export function render<Data extends object>(
  page: Page<Data>,
  data: NoInfer<Data>,
  { language = 'en', ...chosen }: Partial<RendererOptions> & { language?: Language } = {},
): string {
  const chosenRenderer =
    Object.keys(chosen).length === 0 ? renderer : createRenderer({ ...rendererOptions, ...chosen });
  return chosenRenderer.page(page, data, { language });
}

const asWritten: SampleText = (text) => text;

/** Returns the sample data of a page in one state. */
export function sampleOf<Data extends object>(
  page: Page<Data>,
  state: string,
  { text = asWritten, language = 'en' }: { text?: SampleText; language?: Language } = {},
): Data {
  const sample = page.samples(text, language)[state];
  if (!sample) throw new Error(`the page ${page.name} has no sample ${state}`);
  return sample;
}

const source = join(import.meta.dirname, '../../src');

/** The folders of the pages, src/FEATURE/page/NAME. */
export const pageFolders: readonly string[] = readdirSync(source, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isDirectory() && basename(entry.parentPath) === 'page')
  .map(({ name, parentPath }) => join(parentPath, name));
