import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { project, read } from './pages.ts';

/** Returns the rows of the tables in docs/map.md, by the heading above each table. */
function journeys(): Map<string, { file: string; name: string }[]> {
  const found = new Map<string, { file: string; name: string }[]>();
  let heading = '';
  for (const line of read('docs/map.md').split('\n')) {
    if (line.startsWith('## ')) heading = line.slice(3);
    const [, file, name] = /^\|\s*`([^`]+)`\s*\|\s*`([^`]+)`\s*\|/.exec(line) ?? [];
    if (file && name) found.set(heading, [...(found.get(heading) ?? []), { file, name }]);
  }
  return found;
}

/** Returns whether a file contains a name as a whole word. */
const holds = (file: string, name: string): boolean => new RegExp(`\\b${name}\\b`).test(read(file));

test('a login passes through five different files', () => {
  const login = journeys().get('Follow a login in five files') ?? [];

  expect(new Set(login.map(({ file }) => file)).size).toBe(5);
});

describe('docs/map.md', () => {
  test.each([...journeys()].flatMap(([heading, rows]) => rows.map((row) => ({ heading, ...row }))))(
    '$heading: $file contains $name',
    ({ file, name }) => {
      expect(existsSync(join(project, file))).toBe(true);
      expect(holds(file, name)).toBe(true);
    },
  );
});

test('each file of a login calls the function of the next one', () => {
  const login = journeys().get('Follow a login in five files') ?? [];
  const [route, verify, complete, open, start] = login;

  const calls = [
    [route, verify],
    [route, complete],
    [complete, open],
    [open, start],
  ];
  for (const [from, to] of calls) expect(from && to && holds(from.file, to.name)).toBe(true);
});

test('every file that CONTRIBUTING.md names exists', () => {
  const named = [...read('CONTRIBUTING.md').matchAll(/`((?:src|test|tools|docs)\/[\w./-]+)`/g)].map(
    ([, path = '']) => path,
  );

  const isPattern = (path: string) => path.includes('NNNN');
  expect(named.filter((path) => !isPattern(path) && !existsSync(join(project, path)))).toEqual([]);
});
