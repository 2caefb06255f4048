import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { expect, type TestContext, test, vi } from 'vitest';
import { freePort } from '../support/postgres.ts';
import { startApp, type TestApp } from '../support/start-app.ts';
import { read } from './pages.ts';

const NGINX = ['/usr/sbin/nginx', '/usr/local/bin/nginx', '/opt/homebrew/bin/nginx'].find(existsSync);
if (!NGINX) process.stderr.write('nginx is not installed, its test is left out: apt-get install nginx-light\n');

/** The block of README.md, between these ports. */
function blockOfReadme(ports: { own: number; service: number; application: number }): string {
  const [, block = ''] = /```nginx\n([\s\S]*?)```/.exec(read('README.md')) ?? [];
  return block
    .replaceAll('8088', String(ports.own))
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${ports.service}`)
    .replaceAll('127.0.0.1:4000', `127.0.0.1:${ports.application}`);
}

/** An application that knows nothing of sign-in. */
async function startApplication(t: TestContext): Promise<number> {
  const server = createServer((asked, reply) => reply.end(`the page ${asked.url}`)).listen(0, '127.0.0.1');
  t.onTestFinished(() => void server.close());
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

/** nginx as the README sets it up, before the service and an application; gives its port. */
async function startNginx(t: TestContext, program: string, app: TestApp): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'authsvc-nginx-'));
  const own = await freePort();
  const block = blockOfReadme({ own, service: app.port, application: await startApplication(t) });
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder};`);
  const lines = ['daemon off;', `pid ${folder}/pid;`, 'error_log stderr;', 'events {}'];
  const content = [...lines, 'http {', 'access_log off;', ...temporary, block, '}'].join('\n');
  await writeFile(join(folder, 'nginx.conf'), content);
  const child = spawn(program, ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'ignore' });
  t.onTestFinished(async () => {
    const ended = once(child, 'exit');
    if (child.exitCode === null && child.kill('SIGTERM')) await ended;
    await rm(folder, { recursive: true });
  });
  await vi.waitUntil(() => ask(own, '/').catch(() => undefined), { timeout: 15_000 });
  return own;
}

interface Answer {
  status: number | undefined;
  location: string | undefined;
  cookies: string[] | undefined;
  text: string;
}

/** Asks for an address as it stands, which `fetch` would tidy up. */
function ask(port: number, path: string, cookie?: string): Promise<Answer> {
  return new Promise((done, fail) => {
    const headers = cookie === undefined ? {} : { cookie };
    const asked = request({ host: '127.0.0.1', port, path, headers }, async (reply) => {
      const chunks = await reply.toArray();
      const { location, 'set-cookie': cookies } = reply.headers;
      done({ status: reply.statusCode, location, cookies, text: chunks.join('') });
    });
    asked.on('error', fail).end();
  });
}

test.skipIf(!NGINX)('nginx asks as the README sets it up, and nothing of an address becomes a header', async (t) => {
  const app = await startApp(t, { database: 'sqlite' });
  const port = await startNginx(t, NGINX ?? '', app);
  const client = await app.signIn(await app.seedUser());
  const cookie = [...client.jar].map(([name, value]) => `${name}=${value}`).join('; ');

  const stranger = await ask(port, '/some/page?x=1');
  const broken = await ask(port, '/x%0d%0aSet-Cookie:session_id=evil%20b');
  const login = await ask(port, new URL(stranger.location ?? '', 'http://x').href.replace('http://x', ''));
  const known = await ask(port, '/some/page?x=1', cookie);

  expect([stranger.status, stranger.location]).toEqual([
    302,
    expect.stringMatching(/\/authsvc\/login\?redirect=\/some\/page\?x=1$/),
  ]);
  expect([broken.status, broken.cookies]).toEqual([302, undefined]);
  expect(broken.location).toMatch(/redirect=\/x%0d%0aSet-Cookie:session_id=evil%20b$/);
  expect([login.status, login.text.includes('data-redirect="/some/page?x=1"')]).toEqual([200, true]);
  expect([known.status, known.text]).toEqual([200, 'the page /some/page?x=1']);
});
