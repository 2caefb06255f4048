// Tests the packages as users get them. Packs both packages and installs each in an empty folder for production. Starts
// the server, runs the help command, and signs a person in through the client: in Node.js, and also in Bun and Deno if
// they are installed.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';

import { tryQuickStarts } from './packed/quick-starts.ts';

const execute = promisify(execFile);
const project = join(import.meta.dirname, '..');
const programs = join(import.meta.dirname, 'packed');
const patience = 30_000;
const runtimes: [string, string[]][] = [
  [process.execPath, []],
  ['bun', ['run']],
  ['deno', ['run', '--allow-net', '--allow-env', '--node-modules-dir=manual']],
];

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function freePort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  listener.close();
  if (address === null || typeof address === 'string') throw new Error('the system gave no port');
  return address.port;
}

/** Packs the package in a folder of the project and installs it in a new folder below `place`. Returns the new folder. */
async function installPacked(place: string, source: string, name: string): Promise<string> {
  const folder = join(place, name);
  await mkdir(folder);
  const { stdout } = await execute('npm', ['pack', '--json', '--pack-destination', folder], { cwd: source });
  const tarball = /"filename":\s*"([^"]+)"/.exec(stdout)?.[1];
  if (tarball === undefined) throw new Error('npm pack named no tarball');
  await rename(join(folder, tarball), join(folder, `${name}.tgz`));
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  const flags = ['--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--no-save'];
  await execute('npm', ['install', ...flags, join(folder, `${name}.tgz`)], { cwd: folder });
  say(`${name}: packed and installed`);
  return folder;
}

async function isReady(url: string): Promise<boolean> {
  const status = await fetch(url).then(
    (reply) => reply.status,
    () => 0,
  );
  return status === 200;
}

interface Server {
  url: string;
  /** The password of the first superadmin. */
  password: string;
  command(...args: string[]): Promise<string>;
}

async function withServer(program: string, folder: string, work: (server: Server) => Promise<void>): Promise<void> {
  const port = await freePort();
  const env = { PATH: process.env.PATH, HOME: folder, PORT: String(port), UPDATE_CHECK: 'off' };
  const child = spawn(program, ['serve'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  const ended = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  try {
    const deadline = performance.now() + patience;
    while (!(await isReady(`${url}/healthz`))) {
      if (child.exitCode !== null) throw new Error(`authsvc serve ended with ${child.exitCode}:\n${output}`);
      if (performance.now() > deadline) throw new Error(`authsvc serve is not ready after ${patience} ms:\n${output}`);
      await wait(100);
    }
    say('authsvc serve: ready');
    const password = /^\s*password\s+(\S+)$/m.exec(output)?.[1] ?? '';
    const command = async (...args: string[]) => (await execute(program, args, { cwd: folder, env })).stdout;
    await work({ url, password, command });
    child.kill('SIGTERM');
    const [code] = await ended;
    if (code !== 0) throw new Error(`authsvc serve ended with ${code} after SIGTERM:\n${output}`);
    say('authsvc serve: stopped with 0');
  } finally {
    child.kill('SIGKILL');
  }
}

/** Checks which files the client's package contains, and that it has no dependencies. */
async function checkClientFiles(folder: string): Promise<void> {
  const packages = (await readdir(join(folder, 'node_modules'))).filter((name) => !name.startsWith('.'));
  if (packages.join() !== 'authsvc-client') throw new Error(`the client installs ${packages.join(', ')}`);
  const root = join(folder, 'node_modules/authsvc-client');
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const names = files.map((file) => file.slice(root.length + 1));
  const stray = names.filter(
    (name) => !/^(package\.json|README\.md|LICENSE|dist\/[\w-]+(\.d\.ts|\.js(\.map)?))$/.test(name),
  );
  if (stray.length > 0) throw new Error(`the client's package holds ${stray.join(', ')}`);
  say(`authsvc-client: ${names.length} files, no dependencies`);
}

/** Compiles a program against the client's types, with both module resolutions that TypeScript has. */
async function tryTypes(folder: string): Promise<void> {
  await copyFile(join(programs, 'try-types.ts'), join(folder, 'try-types.ts'));
  const compiler = join(project, 'node_modules/typescript/bin/tsc');
  const flags = ['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2022,dom', '--types', '', '--ignoreConfig'];
  for (const [module, resolution] of [
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ] as const) {
    const resolving = ['--module', module, '--moduleResolution', resolution];
    await execute(process.execPath, [compiler, ...flags, ...resolving, 'try-types.ts'], { cwd: folder });
  }
  say('authsvc-client: its types compile');
}

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

async function tryClient(folder: string, { url, password, command }: Server): Promise<void> {
  await copyFile(join(programs, 'try-client.mjs'), join(folder, 'try-client.mjs'));
  await command('profile', 'add', 'Packed', '--key', 'packed-client');
  for (const [runtime, flags] of runtimes) {
    const args = [...flags, 'try-client.mjs', url, 'packed-client', 'superadmin', password];
    try {
      await execute(runtime, args, { cwd: folder, timeout: patience });
      say(`authsvc-client: works in ${runtime}`);
    } catch (error) {
      if (!isMissing(error)) throw error;
      say(`authsvc-client: not tried in ${runtime}, which is not installed`);
    }
  }
}

const place = await mkdtemp(join(tmpdir(), 'authsvc-packed-'));
try {
  const folder = await installPacked(place, project, 'authsvc');
  const program = join(folder, 'node_modules/.bin/authsvc');
  const { stdout } = await execute(program, ['--help'], { cwd: folder });
  if (!stdout.includes('serve')) throw new Error(`authsvc --help says nothing of serve:\n${stdout}`);
  say('authsvc --help: works');
  const client = await installPacked(place, join(project, 'packages/client'), 'authsvc-client');
  await checkClientFiles(client);
  await tryTypes(client);
  await withServer(program, folder, async (server) => {
    await tryClient(client, server);
    const names = await tryQuickStarts(client, server, await freePort());
    say(`authsvc-client: the quick starts work (${names.join(', ')})`);
  });
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
} finally {
  await rm(place, { recursive: true, force: true });
}
