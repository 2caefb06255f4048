import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { expect, type TestContext, test, vi } from 'vitest';
import { freePort } from '../support/postgres.ts';
import { project, read } from './pages.ts';

vi.setConfig({ testTimeout: 120_000 });

const quickStarts: [name: string, ...files: string[]][] = [
  ['Express', 'examples/express.js'],
  ['Fastify', 'examples/fastify.js'],
  ['Hono', 'examples/hono.js'],
  ['Node.js without a framework', 'examples/node.js'],
  ['Next.js', 'examples/next/proxy.js', 'examples/next/app/route.js'],
];

test.each(quickStarts)('the quick start for %s is identical to the program in examples/', (name, ...files) => {
  const [, section = ''] = read('docs/integrate.md').split(`\n### ${name}\n`);
  const [own = ''] = section.split(/\n##+ /);
  const blocks = [...own.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code]) => code);
  expect(blocks).toEqual(files.map(read));
});

const hasNginx = ['/usr/sbin/nginx', '/usr/local/bin/nginx', '/opt/homebrew/bin/nginx'].some(existsSync);
const NAVIGATION = { accept: 'text/html', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

/** Starts the example of a company, and returns a browser there. */
async function startCompany(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'authsvc-company-'));
  const front = await freePort();
  const env = { PATH: process.env.PATH, FOLDER: folder, FRONT: String(front) };
  const child = spawn(process.execPath, [join(project, 'examples/company/start.js')], { env });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
  t.onTestFinished(async () => {
    const ended = once(child, 'exit');
    if (child.exitCode === null && child.kill('SIGTERM')) await ended;
    await rm(folder, { recursive: true, force: true });
  });
  await expect.poll(() => said, { timeout: 60_000 }).toContain('Sign in as ada');
  let cookies = '';
  const ask = (name: string, path = '/', body?: object, headers: Record<string, string> = NAVIGATION) =>
    new Promise<{ status: number; location: string; cacheControl: string | undefined; text: string }>(
      (resolve, reject) => {
        const host = `${name}.company.localhost:${front}`;
        const sent = { host, cookie: cookies, ...headers, ...(body ? { 'content-type': 'application/json' } : {}) };
        const options = { host: '127.0.0.1', port: front, path, method: body ? 'POST' : 'GET', headers: sent };
        const asked = request({
          ...options,
          ca: readFileSync(join(folder, 'certificate.pem')),
          servername: host.split(':')[0],
        });
        asked.on('response', (reply) => {
          let text = '';
          for (const line of reply.headers['set-cookie'] ?? []) {
            const [pair = ''] = line.split(';');
            const others = cookies.split('; ').filter((one) => one !== '' && one.split('=')[0] !== pair.split('=')[0]);
            cookies = [...others, pair].join('; ');
          }
          reply.setEncoding('utf8').on('data', (part) => (text += part));
          const { location = '', 'cache-control': cacheControl } = reply.headers;
          reply.on('end', () => resolve({ status: reply.statusCode ?? 0, location, cacheControl, text }));
        });
        asked.on('error', reject).end(body && JSON.stringify(body));
      },
    );
  return { ask, front, password: readFileSync(join(folder, 'password'), 'utf8') };
}

const applications = ['portal', 'wiki', 'handbook'];

test.skipIf(!hasNginx)(
  'in the example of a company, one sign-in opens every application, and one sign-out closes them',
  async (t) => {
    const { ask, front, password } = await startCompany(t);
    const page = async (name: string) => ask(name, '/?a=1&b=%26');

    for (const name of applications) {
      const { status, location } = await page(name);
      expect(status).toBe(302);
      expect(location).toBe(
        `https://auth.company.localhost:${front}/authsvc/login?redirect=${encodeURIComponent(`https://${name}.company.localhost:${front}/?a=1&b=%26`)}`,
      );
    }
    const script = { accept: 'application/json', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' };
    for (const name of applications) expect((await ask(name, '/', undefined, script)).status).toBe(401);

    const login = await ask('auth', '/authsvc/api/login', { username: 'ada', password }, {});
    expect(login.status).toBe(200);
    for (const name of applications) expect((await page(name)).status).toBe(200);
    for (const name of ['portal', 'wiki']) expect((await page(name)).text.toLowerCase()).toBe(`${name} of ada`);
    const { text: handbook, cacheControl } = await page('handbook');
    expect([handbook.includes('<h1>Handbook</h1>'), cacheControl]).toEqual([true, 'private, no-cache']);

    const { text } = await ask('auth', '/authsvc/test');
    const [, _csrf = ''] =
      /name="_csrf" value="([^"]+)"/.exec(text) ?? /"csrf-token" content="([^"]+)"/.exec(text) ?? [];
    expect((await ask('auth', '/authsvc/api/logout', { _csrf }, {})).status).toBe(200);
    for (const name of applications) await expect.poll(async () => (await page(name)).status).toBe(302);
  },
);
