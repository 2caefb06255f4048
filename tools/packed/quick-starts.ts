// Runs the quick starts of docs/integrate.md, exactly as written, against a service.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const project = join(import.meta.dirname, '../..');
const MAX_LINES = 12;
const PATIENCE_MS = 60_000;
const BUILD_MS = 300_000;

/** A framework for which docs/integrate.md has a quick start. */
interface Framework {
  name: string;
  /** The names of the files in which the code blocks of the section are saved. */
  files: readonly string[];
  /** The arguments of node that build the application. */
  build?: readonly string[];
  /** The arguments of node that start the application. */
  start(port: number): readonly string[];
}

const inOneFile = (name: string): Framework => ({ name, files: ['app.js'], start: () => ['app.js'] });
const nextProgram = 'node_modules/next/dist/bin/next';

const frameworks: readonly Framework[] = [
  ...['Express', 'Fastify', 'Hono', 'Node.js without a framework'].map(inOneFile),
  {
    name: 'Next.js',
    files: ['proxy.js', 'app/route.js'],
    build: [nextProgram, 'build'],
    start: (port) => [nextProgram, 'start', '--port', String(port)],
  },
];

/** The packages that only these tests use. They are too large for the devDependencies. */
const largePackages: Record<string, string> = { next: '16.4.6', react: '19.3.1', 'react-dom': '19.3.1' };

interface QuickStart {
  framework: Framework;
  packages: string[];
  /** The code of each file, by name. */
  code: [string, string][];
}

interface Service {
  url: string;
  /** The password of the first superadmin. */
  password: string;
  command(...args: string[]): Promise<string>;
}

async function readQuickStart(framework: Framework): Promise<QuickStart> {
  const { name, files } = framework;
  const text = await readFile(join(project, 'docs/integrate.md'), 'utf8');
  const [section = ''] = text.split(`\n### ${name}\n`)[1]?.split(/\n##+ /, 1) ?? [];
  const [, packages = ''] = /`npm i authsvc-client ?([^`]*)`/.exec(section) ?? [];
  const blocks = [...section.matchAll(/```js\n([\s\S]*?)```/g)].map(([, block = '']) => block);
  const code = files.map((file, at): [string, string] => {
    const block = blocks[at] ?? '';
    const lines = block.split('\n').filter((line) => line !== '').length;
    if (lines === 0 || lines > MAX_LINES) throw new Error(`the quick start for ${name} has ${lines} lines in ${file}`);
    return [file, block];
  });
  return { framework, packages: packages.split(' ').filter(Boolean), code };
}

/** Installs the packages in the versions that the tests of this repository use. */
async function installFrameworks(folder: string, names: readonly string[]): Promise<void> {
  const { devDependencies } = JSON.parse(await readFile(join(project, 'package.json'), 'utf8'));
  const flags = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--no-save'];
  const wanted = names.map((name) => `${name}@${devDependencies[name] ?? largePackages[name]}`);
  await execute('npm', ['install', ...flags, join(folder, 'authsvc-client.tgz'), ...wanted], { cwd: folder });
}

async function signIn({ url, password }: Service): Promise<string> {
  const body = JSON.stringify({ username: 'superadmin', password });
  const headers = { 'content-type': 'application/json' };
  const reply = await fetch(`${url}/authsvc/api/login`, { method: 'POST', headers, body });
  return reply.headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0])
    .join('; ');
}

const originOf = (port: number): string => `http://portal.localhost:${port}`;

interface Answer {
  status: number | undefined;
  location: string | undefined;
  text: string;
}

/** Sends a request with the headers of a browser's navigation. `fetch` would send the headers of a script's request. */
function visit(port: number, headers: Record<string, string>, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const all = { host: new URL(originOf(port)).host, accept: 'text/html', ...headers };
    const request = httpRequest({ host: 'localhost', port, method, headers: all, agent: false }, async (reply) => {
      const chunks = await reply.setEncoding('utf8').toArray();
      resolve({ status: reply.statusCode, location: reply.headers.location, text: chunks.join('') });
    });
    request.on('error', reject).end();
  });
}

async function ask(port: number, headers: Record<string, string>): Promise<Answer> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await visit(port, headers);
    } catch (error) {
      if (performance.now() > end) throw error;
      await wait(50);
    }
  }
}

/**
 * Opens an application with a session and without one. Then sends it two forms: one of its own pages, and one of
 * another site.
 */
async function check(name: string, port: number, cookie: string): Promise<void> {
  const own = originOf(port);
  const known = await ask(port, { cookie });
  if (known.text !== 'Hello superadmin') throw new Error(`${name}: ${known.status} ${known.text}`);
  const stranger = await ask(port, {});
  const back = encodeURIComponent(`${own}/`);
  if (stranger.status !== 302 || !stranger.location?.endsWith(`/authsvc/login?redirect=${back}`))
    throw new Error(`${name}: ${stranger.status} ${stranger.location}`);
  const form = await visit(port, { cookie, origin: own }, 'POST');
  // The quick starts need no handler for the form. A framework without one replies with 404 or 405.
  if (![200, 404, 405].includes(form.status ?? 0)) throw new Error(`${name}: a form of its own: ${form.status}`);
  const foreign = await visit(port, { cookie, origin: 'https://other.example' }, 'POST');
  if (foreign.status !== 403) throw new Error(`${name}: a form of another site: ${foreign.status}`);
}

/** Starts the application of a quick start and checks it. */
async function tryOne(
  folder: string,
  { framework: { name, build, start }, code }: QuickStart,
  env: NodeJS.ProcessEnv,
  port: number,
  cookie: string,
) {
  for (const [file, text] of code) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text.replace('4000', String(port)));
  }
  if (build) await execute(process.execPath, build, { cwd: folder, env, timeout: BUILD_MS });
  const child = spawn(process.execPath, start(port), { cwd: folder, env, stdio: ['ignore', 'inherit', 'inherit'] });
  try {
    await check(name, port, cookie);
  } finally {
    const ended = once(child, 'exit');
    if (child.kill('SIGKILL')) await ended;
  }
}

/**
 * Runs every quick start.
 *
 * @param folder folder in which the packed client is installed
 * @param port free port that replaces the one in the text
 * @returns the names of the frameworks
 */
export async function tryQuickStarts(folder: string, service: Service, port: number): Promise<string[]> {
  const starts = await Promise.all(frameworks.map(readQuickStart));
  await installFrameworks(
    folder,
    starts.flatMap(({ packages }) => packages),
  );
  const app = ['app', 'add', 'portal', '--name', 'Portal', '--url', originOf(port), '--json'];
  const { secret } = JSON.parse(await service.command(...app));
  const env = { PATH: process.env.PATH, AUTH: service.url, AUTHSVC_SECRET: secret, NEXT_TELEMETRY_DISABLED: '1' };
  const cookie = await signIn(service);
  for (const start of starts) await tryOne(folder, start, env, port, cookie);
  return frameworks.map(({ name }) => name);
}
