// Tests the package of the client as `npm install` unpacks it.
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

const execute = promisify(execFile);
const client = join(import.meta.dirname, '../../packages/client');
let folder = '';
let place = '';

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'authsvc-package-'));
  const { stdout } = await execute('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', place], {
    cwd: client,
  });
  const [{ filename }] = JSON.parse(stdout);
  await execute('tar', ['-xzf', filename], { cwd: place });
  folder = join(place, 'package');
});

afterAll(() => rm(place, { recursive: true, force: true }));

const readJson = async (name: string) => JSON.parse(await readFile(join(folder, name), 'utf8'));

/** Returns the entry points: the name of each, and the path of its code. */
async function entryPoints(): Promise<[name: string, code: string][]> {
  const { exports } = await readJson('package.json');
  return Object.entries<string>(exports).filter(([name]) => name !== './package.json');
}

test('each entry point has its types and its code, which runs without another package', async () => {
  const names = (await entryPoints()).map(([name]) => name.slice(2));
  expect(names).toEqual(['', 'admin', 'browser', 'device', 'express', 'fastify', 'hono', 'next', 'node']);

  for (const [name, code] of await entryPoints()) {
    const exported = Object.keys(await import(pathToFileURL(join(folder, code)).href));
    const declared = await readFile(join(folder, code.replace(/\.js$/, '.d.ts')), 'utf8');
    expect(exported, name).not.toEqual([]);
    for (const one of exported) expect(declared, name).toMatch(new RegExp(`\\bexport\\b.*\\b${one}\\b`));
    for (const [, other] of declared.matchAll(/from '(\..*)\.js'/g))
      await expect(readFile(join(folder, 'dist', `${other}.d.ts`), 'utf8'), name).resolves.not.toBe('');
  }
});

test('the package has at most 60,000 bytes without source maps', async () => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !entry.name.endsWith('.map'));
  const contents = await Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name))));

  expect(contents.reduce((sum, { length }) => sum + length, 0)).toBeLessThanOrEqual(60_000);
});

test('the package has no dependencies', async () => {
  const { dependencies, peerDependencies, peerDependenciesMeta } = await readJson('package.json');

  expect(dependencies).toBeUndefined();
  for (const name of Object.keys(peerDependencies)) expect(peerDependenciesMeta[name]).toEqual({ optional: true });
});

test('errors keep the names of their classes, and source maps name the sources', async () => {
  const { ClientError } = await import(pathToFileURL(join(folder, 'dist/device.js')).href);
  expect(new ClientError('expired', 'too late').constructor.name).toBe('ClientError');

  const maps = (await readdir(join(folder, 'dist'))).filter((name) => name.endsWith('.map'));
  const sources = (await Promise.all(maps.map((name) => readJson(`dist/${name}`)))).flatMap((map) => map.sources);
  const code = (await readdir(join(client, 'src'))).filter((name) => /^[\w-]+\.ts$/.test(name));
  expect(sources).toContain('../src/protect.ts');
  expect(sources.filter((source) => !code.some((name) => source === `../src/${name}`))).toEqual([]);
});
