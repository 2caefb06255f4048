import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const readJson = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'));
const notices = readFileSync(join(root, 'THIRD-PARTY-NOTICES'), 'utf8');
const bom = readJson('sbom.cdx.json');
const lock: { packages: Record<string, { version: string; dev?: boolean; devOptional?: boolean; link?: boolean }> } =
  readJson('package-lock.json');

const nameOf = (folder: string): string => folder.replace(/^.*node_modules\//, '');
const named = (folder: string): string => `${nameOf(folder)} ${lock.packages[folder]?.version}`;

/** Returns the packages whose files are listed in the source maps of the build. */
function mappedPackages(): string[] {
  const maps = readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.map'),
  );
  const sources = maps.flatMap((file): string[] => readJson(`dist/${file}`).sources);
  const folders = sources.flatMap(
    (source) => /(node_modules\/(?:.+\/node_modules\/)?(?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1] ?? [],
  );
  return [...new Set(folders)].filter((folder) => lock.packages[folder]).map(named);
}

/** The entries of the notices, each with name and version, licence, and text. */
const entries = notices
  .split(/^-{100}\n/m)
  .slice(1)
  .map((entry) => {
    const [title = '', licence = '', ...text] = entry.split('\n');
    return { title, licence, text: text.join('\n').trim() };
  });

test('the notices contain every package of the build, with its licence and the licence text', () => {
  const titles = entries.map(({ title }) => title);

  expect(mappedPackages().filter((name) => !titles.includes(name))).toEqual([]);
  expect(titles).toContain(named('node_modules/fastify'));
  expect(titles).toContain(named('node_modules/@zxcvbn-ts/language-common'));
  expect(entries.filter(({ licence, text }) => !/^Licence: \S/.test(licence) || text.length < 200)).toEqual([]);
});

test('the bill of materials contains every package of the build and of an installation, and none for development', () => {
  const listed: string[] = bom.components.map(
    ({ name, version }: { name: string; version: string }) => `${name} ${version}`,
  );
  const installed = Object.entries(lock.packages)
    .filter(
      ([folder, { dev, devOptional, link }]) => folder.startsWith('node_modules/') && !dev && !devOptional && !link,
    )
    .map(([folder]) => named(folder));

  expect(listed).toEqual([...new Set([...entries.map(({ title }) => title), ...installed])].sort());
  expect(listed.filter((name) => /^(esbuild|express|typescript|vitest|tsx|playwright-core) /.test(name))).toEqual([]);
  for (const { purl, licenses } of bom.components) expect([purl, licenses.length]).toEqual([purl, 1]);
});
