import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { accountPage } from '../../src/my-account/page/account/page.ts';
import { allPages } from '../../src/pages.ts';
import { templatesFolder } from '../../src/ui/render.ts';
import { pageFolders, pageLanguages, render, sampleOf } from '../support/pages.ts';
import { partsPage } from '../support/parts-page/page.ts';

/** Returns every state of a page. `shown` replaces every text that a person or a program can choose. */
const statesOf = (page: (typeof allPages)[number], shown?: string) =>
  Object.entries(page.samples((text) => shown ?? text));

const pages = [...allPages, partsPage];
const states = pages.flatMap((page) => statesOf(page).map(([state, data]) => ({ page, name: page.name, state, data })));

test('every folder of a page is one page in the list of all pages', () => {
  expect(allPages.map(({ name }) => name).sort()).toEqual(pageFolders.map((folder) => basename(folder)).sort());
});

describe.each(pages.map((page) => ({ name: page.name, page })))('the $name page', ({ page }) => {
  test('escapes markup in every value', () => {
    for (const [, data] of statesOf(page, `zq"'><i>&`)) {
      const html = render(page, data);

      expect(html).not.toContain('<i>');
      expect(html).not.toMatch(/zq["']/);
    }
  });

  test('declares the elements and texts that its script needs', () => {
    const folder = pageFolders.find((path) => basename(path) === page.name) ?? '';
    const file = join(folder, 'script.ts');
    const code = existsSync(file) ? readFileSync(file, 'utf8') : '';
    const ids = new Set([...code.matchAll(/\bget\('([a-z-]+)'/g)].map(([, id]) => id));

    expect(page.script !== undefined).toBe(existsSync(file));
    expect([...(page.script?.ids ?? [])].sort()).toEqual([...ids].sort());
    expect(page.script?.showsRefusals ?? false).toBe(
      /postJson|messageOf|sendChange|confirmInPlace|enableChanges/.test(code),
    );
  });
});

describe.each(states)('$name, $state', ({ page, data }) => {
  test('contains nothing that the content security policy forbids', () => {
    const html = render(page, data).replace(`<style>${page.inlineStyle}</style>`, '');

    expect(html).not.toMatch(/<style|\sstyle=|\son[a-z]+=|javascript:/i);
    for (const [tag, inside] of html.matchAll(/<script\b[^>]*>(.*?)<\/script>/gs)) {
      expect(tag).toMatch(/^<script type="module" src="\/authsvc\/assets\//);
      expect(inside).toBe('');
    }
  });

  test('gives each element a unique id', () => {
    const ids = [...render(page, data).matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id);

    expect(ids).toEqual([...new Set(ids)]);
  });

  test.each(pageLanguages)('has one heading and a title, and no text is missing (%s)', (language) => {
    const html = render(page, data, { language });

    expect(html).toContain(`<html lang="${language}" dir="ltr">`);
    expect(html.replace(/<section[^>]* hidden>.*?<\/section>/gs, '').match(/<h1/g)).toHaveLength(1);
    expect(html).toMatch(/<title>[^<]+ · Harbour<\/title>/);
    expect(html).not.toMatch(/undefined|\[object|NaN/);
  });
});

test.each(pageLanguages)('the heading of an empty list ends without a full stop (%s)', (language) => {
  const html = states.map(({ page, data }) => render(page, data, { language })).join('');

  const headings = [...html.matchAll(/<div class="empty">\s*<h2>([^<]*)<\/h2>/g)].map(([, heading]) => heading);
  expect(headings.length).toBeGreaterThan(5);
  expect(headings.filter((heading) => heading?.endsWith('.'))).toEqual([]);
});

test('the texts of sample data are in the language of the sample', () => {
  const html = render(accountPage, sampleOf(accountPage, 'activity', { language: 'de' }), { language: 'de' });

  expect(html).toContain('Angemeldet (Passwort)');
  expect(html).not.toContain('Signed in');
});

test.each([
  ['overview-refused', 'Enter a full address, beginning with https://, or leave it empty.'],
  ['passkeys-refused', 'Enter a name of 1 to 64 characters.'],
])('the account page says what the refused field of %s may contain', (state, rule) => {
  const html = render(accountPage, sampleOf(accountPage, state));

  expect(html).toContain(`<span data-whole>This value is not valid</span><span>${rule}</span>`);
});

test('the account page says that a connected provider cannot be used for a sign-in', () => {
  const html = render(accountPage, sampleOf(accountPage, 'connections-last'));
  const card = html.split('<article').find((part) => part.includes('Connected<') && part.includes('Not available<'));

  expect(card).toContain('You cannot sign in through this provider at the moment.');
});

test('the account page names the passkey on the button that asks for it', () => {
  const html = render(accountPage, sampleOf(accountPage, 'connections-confirm-passkey'));

  expect(html.split('<dialog')[0]).toMatch(
    /<button[^>]*type="submit"[^>]*>\s*<span class="button-label">Use your passkey/,
  );
});

test('the account page says how long a confirmation is valid only if one is possible', () => {
  const shown = (state: string) => render(accountPage, sampleOf(accountPage, state)).split('<dialog')[0];

  expect(shown('connections-confirm')).toContain('A confirmation is valid');
  expect(shown('connections-confirm-never')).not.toContain('A confirmation is valid');
});

test('every attribute of every template is quoted', () => {
  const files = readdirSync(templatesFolder(), { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.eta'),
  );

  expect(files.length).toBeGreaterThan(allPages.length);
  for (const file of files) {
    const text = readFileSync(join(templatesFolder(), file), 'utf8');
    expect(text, file).not.toMatch(/\s[a-z-]+=<%/);
  }
});

test('only actions that cannot be undone are red: no page has a red button to sign out', () => {
  const red = states.filter(({ page, data }) => render(page, data).includes('button-danger'));

  expect([...new Set(red.map(({ name }) => name))].sort()).toEqual([
    'account',
    'console-application',
    'console-list',
    'console-user',
    'console-webhook',
    'parts',
    'query-monitor',
  ]);
});
