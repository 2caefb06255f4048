import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const dist = join(import.meta.dirname, '../../dist');

/** The files of the build that are loaded before anything is asked for. */
function loadedFrom(file: string, known = new Set<string>()): Set<string> {
  if (known.has(file)) return known;
  known.add(file);
  const imports = readFileSync(file, 'utf8').matchAll(/\bimport(?:[\w*{}\s,$]+from)?\s*"(\.\.?\/[^"]+)"/g);
  for (const [, path = ''] of imports) loadedFrom(join(dirname(file), path), known);
  return known;
}

/** The packages whose code is in files of the build. */
function packagesIn(files: Iterable<string>): Set<string> {
  const sources = [...files].flatMap((file): string[] => JSON.parse(readFileSync(`${file}.map`, 'utf8')).sources);
  return new Set(sources.flatMap((source) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? []));
}

test('the command line loads neither server nor database before a command needs them', () => {
  const [, start = ''] =
    /import\("\.\/(chunks\/start-[^"]+)"\)/.exec(readFileSync(join(dist, 'main.js'), 'utf8')) ?? [];
  const packages = packagesIn(loadedFrom(join(dist, start)));

  expect(packages).toContain('commander');
  for (const heavy of ['fastify', 'kysely', 'pg', 'tldts', 'pino', 'typebox']) expect(packages).not.toContain(heavy);
});
