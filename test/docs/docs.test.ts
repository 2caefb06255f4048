import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';
import { settingsTable } from '../../src/settings/table.ts';
import { allRoutes } from '../../tools/docs/all-routes.ts';
import { staleDocs } from '../../tools/make-docs.ts';
import { documentationPages, project, read } from './pages.ts';

const pages = documentationPages();

/** Returns the anchor of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

const anchorsOf = (page: string): string[] =>
  [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));

/** Returns whether the target of a link exists: the file, and the heading in it. */
function resolves(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : join(dirname(page), decodeURIComponent(path));
  if (!existsSync(join(project, target))) return false;
  return anchor === undefined || anchorsOf(target).includes(anchor);
}

/** Finds the command in the words after `authsvc`. The remaining words are its arguments. */
function findCommand(program: Command, words: readonly string[]): Command | undefined {
  const [word, ...rest] = words;
  const next = program.commands.find((command) => command.name() === word);
  if (next) return findCommand(next, rest);
  const isGroup = program.commands.length > 0;
  const isOption = word === undefined || word.startsWith('-');
  return isGroup && !isOption ? undefined : program;
}

describe.each(pages)('%s', (page) => {
  const text = read(page);

  test('its links have existing targets', () => {
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
    const own = links.filter((link) => !/^[a-z]+:/.test(link));

    expect(own.filter((link) => !resolves(page, link))).toEqual([]);
  });

  test('the npm scripts that it names exist in package.json', () => {
    const { scripts }: { scripts: Record<string, string> } = JSON.parse(read('package.json'));
    const named = [...text.matchAll(/\bnpm (?:run (?:-s )?([a-z:-]+)|(start|test)\b)/g)];

    expect(named.map(([, run, short]) => run ?? short ?? '').filter((name) => !(name in scripts))).toEqual([]);
  });

  test('the commands that it names exist', () => {
    const program = createProgram({ version: '0', serve: async () => undefined, checkTheme: async () => undefined });
    const named = [
      ...text.matchAll(/(?:`|npx |main\.js )authsvc ((?:[\w-]+ ?)+)|node dist\/main\.js ((?:[\w-]+ ?)+)/g),
    ];
    const words = named.map(([, short, long]) => (short ?? long ?? '').trim());

    expect(words.filter((line) => !findCommand(program, line.split(' ')))).toEqual([]);
  });

  test('it refers to nothing outside of the project', () => {
    expect(text).not.toMatch(/\b(spec|contract|design|style)\.md\b|shared\/|\/work\//);
  });
});

test('the generated pages are up to date', () => {
  expect(staleDocs(project)).toEqual([]);
});

test('every setting is documented', () => {
  const text = read('docs/settings.md');

  expect(Object.keys(settingsTable).filter((key) => !text.includes(`| \`${key}\` |`))).toEqual([]);
});

test('the settings in README.md exist and have the defaults shown there', () => {
  const rows = [...read('README.md').matchAll(/^\| `([A-Z_]+)`\s*\| `([^`]+)`/gm)];
  const wrong = rows.filter(([, key = '', fallback]) => {
    const row = Object.entries(settingsTable).find(([name]) => name === key)?.[1];
    const known = row && ('default' in row ? row.default : 'defaultWords' in row ? row.defaultWords : undefined);
    return known !== fallback;
  });

  expect(rows.length).toBeGreaterThan(5);
  expect(wrong.map(([row]) => row)).toEqual([]);
});

describe.each(['docs/routes.md', 'docs/interface.md'])('%s', (page) => {
  const headings = read(page)
    .split('\n')
    .filter((line) => line.startsWith('#'))
    .flatMap((line) => [...line.matchAll(/\b(GET|POST|PATCH|DELETE) (\/\S*)/g)])
    .map(([, method = '', path = '']) => `${method} ${path.replace(/,$/, '')}`);

  test('every route has a heading', () => {
    const routes = allRoutes.map(({ method, path }) => `${method} ${path}`);

    expect(routes.filter((route) => !headings.includes(route))).toEqual([]);
  });
});
