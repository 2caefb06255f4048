import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, type TestContext, test, vi } from 'vitest';
import { hasChromium, launchBrowser } from '../support/chromium.ts';
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

/** An application that knows nothing of sign-in: it tells what it was asked, and echoes on a WebSocket's connection. */
async function startApplication(t: TestContext): Promise<number> {
  const server = createServer(({ url, headers }, reply) => {
    reply.setHeader('content-type', 'application/json').end(JSON.stringify({ url, headers }));
  });
  server.on('upgrade', (_asked, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
    socket.pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  t.onTestFinished(() => void server.close().closeAllConnections());
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
  text: string;
}

/** Asks for an address as it stands, which `fetch` would tidy up. */
function ask(port: number, path: string, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((done, fail) => {
    const asked = request({ host: '127.0.0.1', port, path, headers }, async (reply) => {
      const chunks = await reply.toArray();
      done({ status: reply.statusCode, location: reply.headers.location, text: chunks.join('') });
    });
    asked.on('error', fail).end();
  });
}

/** Opens a WebSocket's connection; gives the status of the handshake, and what comes back of `ping`. */
function openWebSocket(port: number, headers: Record<string, string>): Promise<[number | undefined, string]> {
  return new Promise((done, fail) => {
    const handshake = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', ...headers };
    const asked = request({ host: '127.0.0.1', port, path: '/socket', headers: handshake });
    asked.on('upgrade', (reply, socket) => {
      socket.once('data', (echo) => {
        done([reply.statusCode, String(echo)]);
        socket.destroy();
      });
      socket.write('ping');
    });
    asked.on('response', (reply) => {
      reply.resume();
      done([reply.statusCode, '']);
    });
    asked.on('error', fail).end();
  });
}

describe.skipIf(!NGINX)('nginx, as the README sets it up,', () => {
  async function start(t: TestContext) {
    const app = await startApp(t, { database: 'sqlite', settings: { TRUST_PROXY: 'loopback' } });
    const port = await startNginx(t, NGINX ?? '', app);
    const user = await app.seedUser();
    const client = await app.signIn(user);
    return { app, port, user, cookie: [...client.jar].map(([name, value]) => `${name}=${value}`).join('; ') };
  }

  test('lets in who is signed in, with the address as it stands and none of the identities that a client claims', async (t) => {
    const { port, cookie } = await start(t);
    const claims = {
      ...{ 'remote-user': 'root', 'Remote-Name': 'Root', 'REMOTE-GROUPS': 'superadmin', remote_user: 'root' },
      ...{ 'remote-email': 'root@example.test', 'remote-user-id': '1', 'x-authsvc-expires': '2999-01-01T00:00:00Z' },
    };

    const { status, text } = await ask(port, '/a%2Fb?q=C%2B%2B&r=R%26D', { cookie, ...claims });

    const seen: { url: string; headers: Record<string, string> } = JSON.parse(text);
    expect([status, seen.url]).toEqual([200, '/a%2Fb?q=C%2B%2B&r=R%26D']);
    expect(Object.keys(seen.headers).filter((name) => /^(remote|x-authsvc)/.test(name))).toEqual([]);
  });

  test('answers 401 to a script, a form and anyone else who is not signed in', async (t) => {
    const { port } = await start(t);

    for (const headers of [{}, { accept: 'application/json' }, { accept: 'text/html', 'sec-fetch-mode': 'navigate' }]) {
      const { status, location, text } = await ask(port, '/api?a=1', headers);
      expect([status, location, text.includes('"url"')]).toEqual([401, undefined, false]);
    }
    expect((await ask(port, '/x%0d%0aSet-Cookie:session_id=evil%20b')).status).toBe(401);
  });

  test('passes WebSockets on, but not of strangers', async (t) => {
    const { port, cookie } = await start(t);

    expect(await openWebSocket(port, { cookie })).toEqual([101, 'ping']);
    expect(await openWebSocket(port, {})).toEqual([401, '']);
  });

  test.skipIf(!hasChromium())('leads a browser through the sign-in and back to the very same address', async (t) => {
    const { port, user } = await start(t);
    const browser = await launchBrowser();
    t.onTestFinished(() => browser.close());

    for (const path of [
      '/reports?a=1&b=2&c=3',
      '/a%2Fb/%2525?q=C%2B%2B&r=R%26D&w=a+b&z=%23',
      '/p?next=https%3A%2F%2Fevil.example%2F',
    ]) {
      const page = await browser.newPage();
      await page.goto(`http://localhost:${port}${path}`);
      await page.waitForURL('**/authsvc/login?redirect=*');
      expect(new URL(page.url()).searchParams.get('redirect')).toBe(path);
      await page.fill('input[name="username"]', user.username);
      await page.fill('input[name="password"]', user.password);
      await page.keyboard.press('Enter');
      await page.waitForURL((url) => !url.pathname.startsWith('/authsvc/'));
      expect(page.url()).toBe(`http://localhost:${port}${path}`);
      expect(JSON.parse(await page.innerText('body'))).toMatchObject({ url: path });
      await page.context().clearCookies();
      await page.close();
    }
  });
});
