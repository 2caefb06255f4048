import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const linesOf = (name: string): string[] =>
  readFileSync(join(import.meta.dirname, '../..', name), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));

test('what git ignores in any folder stays out of the build of the image, in any folder', () => {
  // A pattern of .gitignore without a leading slash matches in every folder. In .dockerignore it needs `**/` for that.
  const everywhere = linesOf('.gitignore')
    .filter((line) => !line.startsWith('/'))
    .map((line) => `**/${line.replace(/\/$/, '')}`);
  const ignored = linesOf('.dockerignore');

  expect(ignored).toContain('.git');
  expect(everywhere.filter((line) => !ignored.includes(line) && !ignored.includes(`${line}*`))).toEqual([]);
});
