import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SettingsError } from '../settings/settings-error.ts';
import { assetPath } from './assets.ts';
import type { PageData, TemplateName } from './page-data.ts';
import { createRenderer, type Renderer, type RendererOptions, templatesFolder } from './render.ts';
import { samplePages } from './sample-pages.ts';
import type { Language } from './texts/languages.ts';

/** The ids that each script looks for on the page that loads it. */
export const idsForScripts: Readonly<Record<string, readonly string[]>> = {
  'login.js': ['login', 'username', 'password', 'submit', 'form-error', 'notice', 'reveal', 'caps-lock'],
  'two-factor.js': ['two-factor', 'token', 'token-label', 'token-hint', 'submit', 'recovery', 'form-error'],
  'session.js': ['logout', 'submit', 'logout-dialog', 'form-error'],
  'accounts.js': ['accounts', 'form-error', 'notice'],
  'device.js': ['decision', 'approve', 'deny', 'form-error', 'question'],
  'device-code.js': ['device-code', 'user-code', 'submit'],
  'error-list.js': ['search', 'query', 'found', 'none'],
  'query-monitor.js': [
    'tools',
    'filter',
    'slowest',
    'failures',
    'pause',
    'live',
    'found',
    'form-error',
    'queries',
    'none',
  ],
};

const tongues: Language[] = ['en', 'de'];
const samples = samplePages('sample');
const isTemplate = (name: string): name is TemplateName => name in samples;
const templates = Object.keys(samples).filter(isTemplate);

function refuse(reason: string): never {
  throw new SettingsError(`These settings cannot be used:\n  TEMPLATES_FOLDER: ${reason}`);
}

function readTemplate(folder: string, path: string): string {
  try {
    return readFileSync(join(folder, path), 'utf8');
  } catch {
    return refuse(`${join(folder, path)} is no file that may be read`);
  }
}

/** The templates of a folder. Throws SettingsError where one has a name that no page asks for. */
function readTemplates(folder: string): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.eta'));
  const isKnown = (path: string) =>
    path === 'layout.eta' || path.startsWith('parts/') || isTemplate(path.replace(/\.eta$/, ''));
  const unknown = files.filter((path) => !isKnown(path));
  if (unknown.length > 0) {
    refuse(
      `no page has the template ${unknown.join(', ')}; the names are layout, ${templates.join(', ')} and parts/…, each with .eta`,
    );
  }
  return new Map(files.map((path) => [path, readTemplate(folder, path)]));
}

/** The beginning of a tag, with any number of attributes, each with or without a value. */
const TAG = String.raw`<[a-z][a-z0-9-]*(?:[\s/]+[^\s"'<>/=]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>]+(?=[\s>])))?)*[\s/]+`;

/** What a browser would ignore under the content security policy, silently, and what no reader shall meet. */
const forbidden: [RegExp, string][] = [
  [/<script(?![^>]*\ssrc=)[^>]*>/i, 'a script without src; the content security policy runs none'],
  [/<script\b[^>]*\ssrc=["']?(?:https?:)?\/\//i, 'a script of another host; the content security policy runs none'],
  [/<(?:iframe|object|embed|base)[\s>/]/i, 'an element that the content security policy forbids'],
  [/<style[\s>]/i, 'a style element; the content security policy ignores it'],
  [new RegExp(String.raw`${TAG}style\s*=`, 'i'), 'a style attribute; the content security policy ignores it'],
  [new RegExp(String.raw`${TAG}on[a-z]+\s*=`, 'i'), 'an on… attribute; the content security policy ignores it'],
  [/>\s*undefined\s*[<·]|="undefined"/, 'the word undefined in it: a variable or text that is not there'],
];

/** The addresses of the scripts that a page loads. */
const scriptsOf = (html: string): string[] =>
  [...html.matchAll(/<script\b[^>]*\ssrc="([^"]+)"/gi)].map(([, src]) => src ?? '');

function checkHtml(name: TemplateName, html: string, asset: (name: string) => string): void {
  const spoken = html.replace(/<!--.*?-->/gs, '');
  const found = forbidden.find(([pattern]) => pattern.test(spoken));
  if (found) refuse(`the page ${name} has ${found[1]}`);
  const loaded = scriptsOf(html);
  const scripts = Object.entries(idsForScripts).filter(([script]) => loaded.includes(asset(script)));
  const missing = scripts.flatMap(([, ids]) => ids).filter((id) => !html.includes(`id="${id}"`));
  if (missing.length > 0)
    refuse(`the page ${name} lacks what its script needs: an element with id ${missing.join(', ')}`);
}

/** Pages by which nobody could do what they are for without their scripts. */
const needScripts: readonly TemplateName[] = ['login', 'two-factor', 'accounts', 'device'];

interface Checking {
  renderer: Renderer;
  /** That of the service itself. */
  usual: Renderer;
  asset: (name: string) => string;
  /** Names the operator's files, which the renderer knows under the paths of those that they replace. */
  nameFiles: (message: string) => string;
}

function makePage<Name extends TemplateName>(
  { renderer, nameFiles }: Checking,
  name: Name,
  data: PageData[Name],
  language: Language,
) {
  try {
    return renderer.page(name, data, { language });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return refuse(`the page ${name} cannot be made:\n${nameFiles(message)}`);
  }
}

function checkPage(checking: Checking, name: TemplateName): void {
  for (const data of samples[name]) {
    // The same in every language.
    const wanted = needScripts.includes(name) ? scriptsOf(checking.usual.page(name, data, { language: 'en' })) : [];
    for (const language of tongues) {
      const html = makePage(checking, name, data, language);
      checkHtml(name, html, checking.asset);
      const lacking = wanted.filter((script) => !scriptsOf(html).includes(script));
      if (lacking.length > 0)
        refuse(`the page ${name} lacks its script ${lacking.join(', ')}, without which it does nothing`);
    }
  }
}

/**
 * A renderer with the operator's templates in the place of those of the same name. Every page is made once with
 * sample data, in every language, so that a template that does not work is found at the start and not by a visitor.
 *
 * Throws  SettingsError, with the reason and the place.
 */
export function createCheckedRenderer(options: RendererOptions & { overridesFolder: string | undefined }): Renderer {
  const { overridesFolder, ...rest } = options;
  if (overridesFolder === undefined) return createRenderer(rest);
  const overrides = readTemplates(overridesFolder);
  const usual = templatesFolder(options);
  const checking: Checking = {
    renderer: createRenderer({ ...rest, overrides, debug: true }),
    usual: createRenderer(rest),
    asset: options.asset ?? assetPath,
    nameFiles: (message) =>
      [...overrides.keys()].reduce(
        (text, path) => text.replaceAll(join(usual, path), join(overridesFolder, path)),
        message,
      ),
  };
  for (const name of templates) checkPage(checking, name);
  return createRenderer({ ...rest, overrides });
}
