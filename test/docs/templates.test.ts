import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { allPages } from '../../src/pages.ts';
import { sharedData } from '../../src/ui/render.ts';
import { rendererOptions } from '../support/pages.ts';
import { project, read } from './pages.ts';

const sections = new Map(
  read('docs/templates.md')
    .split(/^## /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf('\n')), section]),
);

/** Returns the variables that a section lists in backticks in the first column of its tables. */
function documented(title: string): string[] {
  const rows = [...(sections.get(title) ?? '').matchAll(/^\| (`[^|]+?) *\|/gm)].map(([, cell = '']) => cell);
  return rows.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name)).sort();
}

test.each(allPages.map((page) => ({ name: page.name, page })))(
  'docs/templates.md names every variable of the $name page',
  ({ name, page }) => {
    const samples = Object.values(page.samples((text) => text));
    const variables = new Set(samples.flatMap((data) => Object.keys(data)));

    expect(documented(name)).toEqual([...variables].sort());
  },
);

test('docs/templates.md names every variable that all pages have', () => {
  const shared = Object.keys(sharedData(rendererOptions, 'en'));

  expect(documented('Every page')).toEqual(['t', ...shared].sort());
});

test('docs/templates.md names every template that can be replaced', () => {
  const titles = [...sections.keys()].filter((title) => !['Every page', 'Layout', 'Parts'].includes(title));

  expect(titles.sort()).toEqual(allPages.map(({ name }) => name).sort());
});

test('docs/templates.md names every part that pages consist of', () => {
  const files = readdirSync(join(project, 'src/ui/templates/parts')).map((name) => name.replace('.eta', ''));
  // Icons, and parts that only another part or the layout includes.
  const inner = [
    'attributes',
    'brand',
    'chevron',
    'copy',
    'eye',
    'icon',
    'lens',
    'oauth2',
    'oidc',
    'passkey',
    'plus',
    'provider',
  ];
  const names = [...(sections.get('Parts') ?? '').matchAll(/^\| `([\w-]+)` *\|/gm)].map(([, name = '']) => name);

  expect(names.sort()).toEqual(files.filter((name) => !inner.includes(name)).sort());
});
