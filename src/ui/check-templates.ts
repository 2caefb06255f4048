import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeFileFault } from '../lib/file-fault.ts';
import { SettingsError } from '../settings/settings-error.ts';
import type { Page } from './define-page.ts';
import { createRenderer, type Renderer, type RendererOptions, templatesFolder } from './render.ts';
import type { Language } from './texts/languages.ts';

const pageLanguages: readonly Language[] = ['en', 'de'];

function refuse(reason: string): never {
  throw new SettingsError(`These settings cannot be used:\n  TEMPLATES_FOLDER: ${reason}`);
}

/** Calls a function of node:fs. If it fails, throws a SettingsError that says why the folder cannot be used. */
function use<Result>(path: string, work: (path: string) => Result): Result {
  try {
    return work(path);
  } catch (error) {
    return refuse(`a template cannot be read: ${describeFileFault(error, path)}`);
  }
}

/** Reads the operator's templates in a folder. Throws SettingsError if a template has a name that no page uses. */
function readTemplates(folder: string, pages: readonly Page[]): Map<string, string> {
  const files = use(folder, (path) => readdirSync(path, { recursive: true, encoding: 'utf8' }))
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.eta'));
  const names = pages.map(({ name }) => name);
  const isKnown = (path: string) =>
    path === 'layout.eta' || path.startsWith('parts/') || names.includes(path.replace(/\.eta$/, ''));
  const unknown = files.filter((path) => !isKnown(path));
  if (unknown.length > 0) {
    refuse(
      `no page uses the template ${unknown.join(', ')}; the allowed names are layout, ${names.join(', ')} and parts/…, each with .eta`,
    );
  }
  return new Map(files.map((path) => [path, use(join(folder, path), (file) => readFileSync(file, 'utf8'))]));
}

/** Matches what Eta writes for a variable or text that does not exist. */
const UNDEFINED = />\s*undefined\s*[<·]|="undefined"/;

/** Returns the URLs of the scripts that a page loads. */
const scriptsOf = (html: string): string[] =>
  [...html.matchAll(/<script\b[^>]*\ssrc="([^"]+)"/gi)].map(([, src]) => src ?? '');

interface Checking {
  renderer: Renderer;
  /** The renderer with the service's own templates only. */
  usual: Renderer;
  asset: (name: string) => string;
  /** Replaces the renderer's internal paths in a message with the operator's paths. */
  nameFiles: (message: string) => string;
}

function checkHtml(page: Page, html: string, asset: (name: string) => string): void {
  if (UNDEFINED.test(html))
    refuse(
      `the page ${page.name} contains the word undefined, so its template uses a variable or text that does not exist`,
    );
  const hasScript = page.script && scriptsOf(html).includes(asset(`${page.name}.js`));
  const missing = (hasScript ? page.script.ids : []).filter((id) => !html.includes(`id="${id}"`));
  if (missing.length > 0)
    refuse(`the page ${page.name} lacks an element that its script needs, with the id ${missing.join(', ')}`);
}

function makePage<Data extends object>(
  { renderer, nameFiles }: Checking,
  page: Page<Data>,
  data: Data,
  language: Language,
): string {
  try {
    return renderer.page(page, data, { language });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return refuse(`the page ${page.name} cannot be rendered:\n${nameFiles(message)}`);
  }
}

function checkPage(checking: Checking, page: Page): void {
  for (const data of Object.values(page.samples((text) => text))) {
    for (const language of pageLanguages) {
      const wanted = page.script?.isNeeded ? scriptsOf(checking.usual.page(page, data, { language })) : [];
      const html = makePage(checking, page, data, language);
      checkHtml(page, html, checking.asset);
      const lacking = wanted.filter((script) => !scriptsOf(html).includes(script));
      if (lacking.length > 0)
        refuse(`the page ${page.name} lacks its script ${lacking.join(', ')}, without which it does not work`);
    }
  }
}

/**
 * Creates a renderer that prefers the operator's templates to the service's templates of the same name.
 *
 * It renders every page once with its sample data in every language, so that a broken template stops the start of the
 * service instead of failing for a visitor.
 *
 * @throws SettingsError with the reason and the file
 */
export function createCheckedRenderer(
  options: RendererOptions & { pages: readonly Page[]; overridesFolder: string | undefined },
): Renderer {
  const { overridesFolder, pages, ...rest } = options;
  if (overridesFolder === undefined) return createRenderer(rest);
  const overrides = readTemplates(overridesFolder, pages);
  const checking: Checking = {
    renderer: createRenderer({ ...rest, overrides, debug: true }),
    usual: createRenderer(rest),
    asset: options.asset,
    nameFiles: (message) =>
      [...overrides.keys()].reduce(
        (text, path) => text.replaceAll(join(templatesFolder(), path), join(overridesFolder, path)),
        message,
      ),
  };
  for (const page of pages) checkPage(checking, page);
  return createRenderer({ ...rest, overrides });
}
