import { expect, test } from 'vitest';
import { allPages } from '../../src/pages.ts';
import { sharedData } from '../../src/ui/render.ts';
import { rendererOptions } from '../support/pages.ts';
import { read } from './pages.ts';

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

test('docs/templates.md has every template that can be replaced', () => {
  const titles = [...sections.keys()].filter((title) => title !== 'Every page');

  expect(titles.sort()).toEqual(allPages.map(({ name }) => name).sort());
});
