import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { infoPage } from '../../src/about/page/info/page.ts';
import { allPages } from '../../src/pages.ts';
import { SettingsError } from '../../src/settings/settings-error.ts';
import { loginPage } from '../../src/signin/page/login/page.ts';
import { createCheckedRenderer } from '../../src/ui/check-templates.ts';
import { templatesFolder } from '../../src/ui/render.ts';
import { rendererOptions, sampleOf } from '../support/pages.ts';

const options = { ...rendererOptions, pages: allPages };
const builtIn = (name: string) => readFileSync(join(templatesFolder(), name), 'utf8');

/** Creates the renderer with these files in the operator's folder of templates. */
function rendererWith(files: Record<string, string>) {
  const overridesFolder = mkdtempSync(join(tmpdir(), 'authsvc-templates-'));
  onTestFinished(() => rmSync(overridesFolder, { recursive: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(overridesFolder, name)), { recursive: true });
    writeFileSync(join(overridesFolder, name), content);
  }
  return createCheckedRenderer({ ...options, overridesFolder });
}

test("an operator's template replaces the template with the same name, and the others stay", () => {
  const login = sampleOf(loginPage, 'anonymous');
  const info = sampleOf(infoPage, 'unknown');
  const files = { 'parts/icon.eta': '<b>ours</b>', 'parts/own.eta': '<i><%= it.appName %> & co</i>' };
  const layout = builtIn('layout.eta').replace('</footer>', "<%~ include('./parts/own') %></footer>");
  const own = rendererWith({ ...files, 'layout.eta': layout });
  const usual = createCheckedRenderer({ ...options, overridesFolder: undefined });

  for (const html of [own.page(loginPage, login, { language: 'de' }), own.page(infoPage, info, { language: 'en' })]) {
    expect(html).toContain('<b>ours</b>');
    expect(html).toContain('<i>Harbour & co</i></footer>');
  }
  expect(usual.page(loginPage, login, { language: 'de' })).not.toContain('ours');
});

test.each([
  ['a misspelt name', { 'lgoin.eta': '' }, /no page uses the template lgoin\.eta; the allowed names are layout, login/],
  ['a syntax error', { 'info.eta': '<% if (true) { %>' }, /the page info cannot be rendered:\n.*/],
  [
    'a variable that is not there',
    { 'error.eta': 'a\n<%= it.nothing.here %>' },
    /the page error cannot be rendered:\n.*2\|/s,
  ],
  ['a part that is not there', { 'info.eta': "<%~ include('./parts/none') %>" }, /the page info cannot be rendered/],
  [
    'a text that is not there',
    { 'parts/icon.eta': '<b><%= it.t.layout.none %></b>' },
    /contains the word undefined, so its template/,
  ],
  [
    'a variable that is not there in an attribute',
    { 'parts/icon.eta': '<b title="<%= it.none %>">x</b>' },
    /contains the word undefined/,
  ],
  [
    'a title that is not there',
    { 'info.eta': "<% layout('./layout', {}) %>x" },
    /the page info contains the word undefined/,
  ],
  [
    'an empty login page',
    { 'login.eta': '' },
    /the page login lacks its script \/authsvc\/assets\/page\.\w+\.js, \/authsvc\/assets\/errors-en\.\w+\.js, \/authsvc\/assets\/login\.\w+\.js/,
  ],
  ['a layout without its page', { 'layout.eta': '<p>no form</p>' }, /the page login lacks its script/],
  [
    'a form without its fields',
    { 'login.eta': "<% layout('./layout', { title: 'x', script: 'login.js' }) %><form id=\"login\"></form>" },
    /the page login lacks an element that its script needs, with the id username, password/,
  ],
])('%s stops the start with the reason', (_what, files, reason) => {
  const start = () => rendererWith(files);

  expect(start).toThrow(SettingsError);
  expect(start).toThrow(/^These settings cannot be used:\n {2}TEMPLATES_FOLDER: /);
  expect(start).toThrow(reason);
});

test('a folder with the name of a template is reported with its path', () => {
  expect(() => rendererWith({ 'login.eta/x.txt': '' })).toThrow(/login\.eta is a folder, not a file/);
});

test('a fault is reported for the operator’s file, or for the service’s file if it is there', () => {
  const messageOf = (files: Record<string, string>) => {
    try {
      rendererWith(files);
    } catch (error) {
      return error instanceof Error ? error.message : '';
    }
    return '';
  };
  const own = messageOf({ 'info.eta': 'a\n<%= it.nothing.here %>', 'parts/own.eta': '' });
  const usual = messageOf({ 'layout.eta': "<%~ include('./parts/seal', undefined) %><% it.body.x.y %>" });

  expect(own).toMatch(/authsvc-templates-\w+\/info\.eta:2/);
  expect(own).not.toContain(templatesFolder());
  expect(usual).toContain('layout.eta');
});
