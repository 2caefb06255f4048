import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sharedData } from '../../src/ui/render.ts';
import { samplePages } from '../../src/ui/sample-pages.ts';
import { project, read } from './pages.ts';

const sections = new Map(
  read('docs/templates.md')
    .split(/^## /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf('\n')), section]),
);

/** The variables that a section names: what stands in backticks in the first column. */
function documented(title: string): string[] {
  const rows = [...(sections.get(title) ?? '').matchAll(/^\| (`[^|]+?) *\|/gm)].map(([, cell = '']) => cell);
  return rows.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name)).sort();
}

test.each(Object.entries(samplePages('x')))(
  'docs/templates.md names every variable of the %s page',
  (name, samples) => {
    const variables = new Set(samples.flatMap((data) => Object.keys(data)));

    expect(documented(name)).toEqual([...variables].sort());
  },
);

test('docs/templates.md names every variable that all pages have', () => {
  const providerNames = { codehost: '', websso: '' };
  const brand = { styles: undefined, logo: undefined, providerLogos: { codehost: undefined, websso: undefined } };
  const shared = sharedData({ appName: '', version: '', providerNames, home: '/', brand, asset: String }, 'en');

  expect(documented('Every page')).toEqual(Object.keys(shared).sort());
});

test('docs/templates.md has every template that can be replaced', () => {
  const templates = readdirSync(join(project, 'src/ui/templates')).filter((name) => name.endsWith('.eta'));
  const pages = templates.map((name) => name.replace('.eta', '')).filter((name) => name !== 'layout');

  expect([...sections.keys()].filter((title) => title !== 'Every page').sort()).toEqual(pages.sort());
});
