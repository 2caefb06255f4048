import { execFile } from 'node:child_process';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, readFile, rename } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createBrotliDecompress } from 'node:zlib';
import { type Browser, chromium } from 'playwright-core';
import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    chromiumPath: string | undefined;
  }
}

/** One way to find a Chromium. Returns the path of its program, or undefined if there is none. */
export type ChromiumSource = () => Promise<string | undefined>;

const execute = promisify(execFile);
const isRoot = process.getuid?.() === 0;
const usualPlaces = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

const launchFlags = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts this Chromium, headless and with a new profile. The caller closes it. */
export function launchChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({
    executablePath,
    headless: true,
    chromiumSandbox: !isRoot,
    args: launchFlags,
    timeout: 20_000,
  });
}

async function showsAPage(executablePath: string): Promise<boolean> {
  try {
    const browser = await launchChromium(executablePath);
    try {
      const page = await browser.newPage();
      await page.setContent('<title>alive</title>');
      return (await page.title()) === 'alive';
    } finally {
      await browser.close();
    }
  } catch {
    return false;
  }
}

// The npm package contains a compressed program. It is unpacked next to the packages, under the version of the package,
// and renamed to its final name only when complete. The package's own unpacking is not used, because it trusts any file
// that is already in the temporary folder.
async function unpackFromNpm(): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const require = createRequire(import.meta.url);
  const home = join(dirname(require.resolve('@sparticuz/chromium')), '../..');
  const { version }: { version: string } = JSON.parse(await readFile(join(home, 'package.json'), 'utf8'));
  const folder = fileURLToPath(new URL('../../node_modules/.cache/authsvc', import.meta.url));
  const program = join(folder, `chromium-${version}`);
  if (existsSync(program)) return program;
  await mkdir(folder, { recursive: true });
  const half = `${program}.${process.pid}`;
  await pipeline(
    createReadStream(join(home, 'bin/chromium.br')),
    createBrotliDecompress(),
    createWriteStream(half, { mode: 0o755 }),
  );
  await rename(half, program);
  return program;
}

async function installFromDebian(): Promise<string | undefined> {
  if (!isRoot || !existsSync('/usr/bin/apt-get')) return undefined;
  process.stderr.write('Installing Chromium for the browser tests (apt-get install chromium) …\n');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await execute('apt-get', ['update', '-q'], { env }).catch(() => undefined);
  await execute('apt-get', ['install', '-y', '-q', '--no-install-recommends', 'chromium'], { env });
  return '/usr/bin/chromium';
}

const knownSources: readonly ChromiumSource[] = [
  async () => process.env.CHROMIUM_PATH,
  ...usualPlaces.map((path) => async () => (existsSync(path) ? path : undefined)),
  unpackFromNpm,
  installFromDebian,
];

/**
 * Finds a Chromium that really starts and shows a page. Tries CHROMIUM_PATH, the usual places, the one from npm, and the
 * package of Debian, which it installs if this process is root. If one does not start, tries the next.
 *
 * @returns its path; if there is none, undefined, and one line on stderr says how to get one
 */
export async function findChromium(sources: readonly ChromiumSource[] = knownSources): Promise<string | undefined> {
  for (const source of sources) {
    const path = await source().catch(() => undefined);
    if (!path) continue;
    if (await showsAPage(path)) return path;
    process.stderr.write(`Chromium at ${path} does not start; looking further.\n`);
  }
  process.stderr.write(
    'The browser tests are not run: no Chromium that starts. Install chromium (Debian: apt-get install chromium) or name one in CHROMIUM_PATH.\n',
  );
  return undefined;
}

/**
 * Returns whether this test run has a browser. Tests that need one are skipped without it
 * (`describe.skipIf(!hasChromium())`).
 */
export function hasChromium(): boolean {
  return inject('chromiumPath') !== undefined;
}

/**
 * Starts the browser of this test run, headless and with a new profile.
 *
 * Call it in test files of vitest, and only if `hasChromium()` is true.
 *
 * @returns the browser, which the caller closes
 * @throws Error if the run has no browser
 */
export async function launchBrowser(): Promise<Browser> {
  const path = inject('chromiumPath');
  if (path === undefined) throw new Error('this test run has no Chromium: ask hasChromium() first');
  return launchChromium(path);
}

/** Finds the browser of a test run once, for all its test files. */
export default async function setup(project: TestProject): Promise<void> {
  project.provide('chromiumPath', await findChromium());
}
