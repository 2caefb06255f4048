// Runs the quick starts of docs/integrate.md, exactly as written, against a service.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const project = join(import.meta.dirname, '../..');
const MAX_LINES = 12;
const PATIENCE_MS = 30_000;
const frameworks = ['Express', 'Fastify', 'Hono', 'Node.js without a framework'];

interface QuickStart {
  name: string;
  packages: string[];
  code: string;
}

interface Service {
  url: string;
  /** The password of the first superadmin. */
  password: string;
  command(...args: string[]): Promise<string>;
}

async function readQuickStart(name: string): Promise<QuickStart> {
  const text = await readFile(join(project, 'docs/integrate.md'), 'utf8');
  const [, section = ''] = text.split(`\n### ${name}\n`);
  const [, packages = ''] = /`npm i authsvc-client ?([^`]*)`/.exec(section) ?? [];
  const [, code = ''] = /```js\n([\s\S]*?)```/.exec(section) ?? [];
  const lines = code.split('\n').filter((line) => line !== '').length;
  if (lines === 0 || lines > MAX_LINES) throw new Error(`the quick start for ${name} has ${lines} lines`);
  return { name, packages: packages.split(' ').filter(Boolean), code };
}

/** Installs the packages in the versions that the tests of this repository use. */
async function installFrameworks(folder: string, names: readonly string[]): Promise<void> {
  const { devDependencies } = JSON.parse(await readFile(join(project, 'package.json'), 'utf8'));
  const flags = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--no-save'];
  const wanted = names.map((name) => `${name}@${devDependencies[name]}`);
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

interface Answer {
  status: number | undefined;
  location: string | undefined;
  text: string;
}

/** Opens a page with the headers of a browser's navigation. `fetch` would send the headers of a script's request. */
function visit(port: number, headers: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { host: 'localhost', port, headers: { accept: 'text/html', ...headers }, agent: false };
    const request = get(options, async (reply) => {
      const chunks = await reply.setEncoding('utf8').toArray();
      resolve({ status: reply.statusCode, location: reply.headers.location, text: chunks.join('') });
    });
    request.on('error', reject);
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

/** Starts the application of a quick start, and opens it with and without a session. */
async function tryOne(
  folder: string,
  { name, code }: QuickStart,
  env: NodeJS.ProcessEnv,
  port: number,
  cookie: string,
) {
  await writeFile(join(folder, 'app.js'), code.replace('4000', String(port)));
  const child = spawn(process.execPath, ['app.js'], { cwd: folder, env, stdio: ['ignore', 'inherit', 'inherit'] });
  try {
    const known = await ask(port, { cookie });
    if (known.text !== 'Hello superadmin') throw new Error(`${name}: ${known.status} ${known.text}`);
    const stranger = await ask(port, {});
    const back = encodeURIComponent(`http://localhost:${port}/`);
    if (stranger.status !== 302 || !stranger.location?.endsWith(`/authsvc/login?redirect=${back}`))
      throw new Error(`${name}: ${stranger.status} ${stranger.location}`);
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
  const app = ['app', 'add', 'portal', '--name', 'Portal', '--url', `http://localhost:${port}`, '--json'];
  const { secret } = JSON.parse(await service.command(...app));
  const env = { PATH: process.env.PATH, AUTH: service.url, AUTHSVC_SECRET: secret };
  const cookie = await signIn(service);
  for (const start of starts) await tryOne(folder, start, env, port, cookie);
  return frameworks;
}
