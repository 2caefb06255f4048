// Tries what a user gets: packs the tarball, installs it for production in an empty folder, asks the program for help,
// starts it and waits until it is ready.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const project = join(import.meta.dirname, '..');
const patience = 30_000;

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

async function installPacked(folder: string): Promise<string> {
  const { stdout } = await execute('npm', ['pack', '--json', '--pack-destination', folder], { cwd: project });
  const tarball = /"filename":\s*"([^"]+)"/.exec(stdout)?.[1];
  if (tarball === undefined) throw new Error('npm pack named no tarball');
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  const flags = ['--omit=dev', '--no-audit', '--no-fund', '--no-save'];
  await execute('npm', ['install', ...flags, join(folder, tarball)], { cwd: folder });
  return join(folder, 'node_modules/.bin/authsvc');
}

async function isReady(url: string): Promise<boolean> {
  const status = await fetch(url).then(
    (reply) => reply.status,
    () => 0,
  );
  return status === 200;
}

async function tryServing(program: string, folder: string): Promise<void> {
  const port = await freePort();
  const env = { PATH: process.env.PATH, HOME: folder, PORT: String(port) };
  const child = spawn(program, ['serve'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  const ended = once(child, 'exit');
  try {
    const deadline = performance.now() + patience;
    while (!(await isReady(`http://127.0.0.1:${port}/healthz`))) {
      if (child.exitCode !== null) throw new Error(`authsvc serve ended with ${child.exitCode}:\n${output}`);
      if (performance.now() > deadline) throw new Error(`authsvc serve is not ready after ${patience} ms:\n${output}`);
      await wait(100);
    }
    say('authsvc serve: ready');
    child.kill('SIGTERM');
    const [code] = await ended;
    if (code !== 0) throw new Error(`authsvc serve ended with ${code} after SIGTERM:\n${output}`);
    say('authsvc serve: stopped with 0');
  } finally {
    child.kill('SIGKILL');
  }
}

const folder = await mkdtemp(join(tmpdir(), 'authsvc-packed-'));
try {
  const program = await installPacked(folder);
  say('packed and installed');
  const { stdout } = await execute(program, ['--help'], { cwd: folder });
  if (!stdout.includes('serve')) throw new Error(`authsvc --help says nothing of serve:\n${stdout}`);
  say('authsvc --help: works');
  await tryServing(program, folder);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
