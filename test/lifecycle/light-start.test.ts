import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { paths } from '../../src/oidc/paths.ts';
import { freshDatabase } from '../support/each-database.ts';
import { makeDatabase, type Owner, type Place, runCommand, startService } from './support.ts';

const dist = join(import.meta.dirname, '../../dist');

/** Returns the files of the build that a file loads at its start. */
function loadedFrom(file: string, known = new Set<string>()): Set<string> {
  if (known.has(file)) return known;
  known.add(file);
  const imports = readFileSync(file, 'utf8').matchAll(/\bimport(?:[\w*{}\s,$]+from)?\s*"(\.\.?\/[^"]+)"/g);
  for (const [, path = ''] of imports) loadedFrom(join(dirname(file), path), known);
  return known;
}

/** Returns the packages whose code is in files of the build. */
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

/** Runs a service while `work` sends requests to it. Returns the files of the build that the process has loaded. */
async function loadedWhile(t: Owner, place: Place, work: (port: number) => Promise<void>): Promise<string[]> {
  const folder = join(place.folder, `coverage-${Date.now()}`);
  const service = await startService(t, { ...place, settings: { NODE_V8_COVERAGE: folder } });
  await work(service.port);
  await service.stop();
  // The library must not print notices, because they are not lines of the log.
  expect(service.stdout() + service.stderr()).not.toContain('oidc-provider');
  const reports = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  const urls = reports.flatMap((report) => JSON.parse(report).result.map(({ url }: { url: string }) => url));
  return urls.filter((url) => url.startsWith('file:') && url.includes('/dist/')).map((url) => fileURLToPath(url));
}

test('a service loads OpenID Connect at the first request that needs it', async (t) => {
  const fresh = await freshDatabase('sqlite');
  t.onTestFinished(fresh.drop);
  const place: Place = fresh;
  await makeDatabase(t, place);
  const plain = await runCommand(t, place, [
    'app',
    'add',
    'plain',
    '--name',
    'Plain',
    '--url',
    'https://a.example.test',
  ]);
  const ask = async (port: number, path: string, method: string) => {
    const reply = await fetch(`http://127.0.0.1:${port}${path}`, { method, redirect: 'manual' });
    await reply.body?.cancel();
    return reply.status;
  };
  const discovery = '/.well-known/openid-configuration';
  const all = [discovery, ...Object.values(paths)];

  const seen: number[] = [];
  const unused = await loadedWhile(t, place, async (port) => {
    for (const path of all) for (const method of ['GET', 'POST']) seen.push(await ask(port, path, method));
  });
  const added = await runCommand(t, place, ['app', 'set', 'plain', '--redirect-uri', 'https://a.example.test/cb']);
  const asked = await loadedWhile(t, place, async (port) => {
    for (const path of [discovery, paths.jwks]) expect(await ask(port, path, 'GET')).toBe(200);
  });
  const used = await loadedWhile(t, place, async (port) => {
    expect(await ask(port, `${paths.authorize}?client_id=plain`, 'GET')).toBe(400);
  });

  expect([plain.code, added.code]).toEqual([0, 0]);
  // 405 means that the path exists but does not have this method.
  expect([...new Set(seen)].sort()).toEqual([404, 405]);
  for (const files of [unused, asked]) {
    expect(packagesIn(files)).toContain('fastify');
    for (const name of ['oidc-provider', 'koa', 'jose']) expect(packagesIn(files)).not.toContain(name);
  }
  expect(packagesIn(used)).toContain('oidc-provider');
});
