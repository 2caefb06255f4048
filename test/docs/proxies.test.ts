import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, type TestContext, test, vi } from 'vitest';
import { addApplication } from '../../src/applications/add-application.ts';
import { hasChromium, launchBrowser } from '../support/chromium.ts';
import { freePort } from '../support/postgres.ts';
import { startApp, type TestApp } from '../support/start-app.ts';
import { whileSessionsAreAway } from '../support/table-away.ts';
import { read } from './pages.ts';

/** A proxy for which docs/integrate.md has a configuration. */
interface Proxy {
  name: string;
  /** The languages of its code blocks in the page. The last block is the configuration of the proxy itself. */
  languages: string[];
  program: string | undefined;
  /** Returns the complete configuration for a port, as files by name. `proxy.conf` is the main file. */
  configure(blocks: string[], port: number, folder: string): Record<string, string>;
  args(file: string, folder: string): string[];
}

const found = (...paths: string[]) => paths.find(existsSync);

const proxies: Proxy[] = [
  {
    name: 'nginx',
    languages: ['nginx'],
    program: found('/usr/sbin/nginx', '/usr/local/bin/nginx', '/opt/homebrew/bin/nginx'),
    configure: ([block = ''], port, folder) => {
      const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder};`);
      const own = block
        .replace('listen 443 ssl;', `listen ${port};`)
        .replace(/ssl_certificate.*;/g, '')
        .replace('wiki.example.com', 'localhost');
      const lines = ['daemon off;', `pid ${folder}/pid;`, 'error_log stderr;', 'events {}'];
      return { 'proxy.conf': [...lines, 'http {', 'access_log off;', ...places, own, '}'].join('\n') };
    },
    args: (file, folder) => ['-p', folder, '-c', file],
  },
  {
    name: 'Caddy',
    languages: ['caddyfile'],
    program: found('/usr/bin/caddy', '/usr/local/bin/caddy', '/opt/homebrew/bin/caddy'),
    configure: ([block = ''], port) => {
      const own = block.replace('wiki.example.com', `http://localhost:${port}`);
      return { 'proxy.conf': ['{', 'admin off', 'auto_https off', '}', own].join('\n') };
    },
    args: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
  },
  {
    name: 'HAProxy',
    languages: ['lua', 'haproxy'],
    program: found('/usr/sbin/haproxy', '/usr/local/bin/haproxy', '/opt/homebrew/bin/haproxy'),
    configure: ([script = '', block = ''], port, folder) => ({
      'authsvc.lua': script.replace('"https://"', '"http://"'),
      'proxy.conf': block
        .replace('/etc/haproxy/authsvc.lua', `${folder}/authsvc.lua`)
        .replace('bind :443 ssl crt /etc/haproxy/wiki.pem', `bind 127.0.0.1:${port}`),
    }),
    args: (file) => ['-f', file],
  },
];

for (const { name, program } of proxies)
  if (!program) process.stderr.write(`${name} is not installed, its test is left out\n`);

/** Returns the code blocks of a proxy in docs/integrate.md. */
function blocksOf({ languages }: Proxy): string[] {
  return languages.map((language) => {
    const [, block = ''] = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(read('docs/integrate.md')) ?? [];
    return block;
  });
}

const between = (block: string, ports: { service: number; application: number }): string =>
  block
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${ports.service}`)
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${ports.application}`);

/** Returns the configuration of a proxy that serves the files of a folder, as in the section "Files". */
function servingFiles([block = '']: string[], { languages: [language = ''] }: Proxy, folder: string): string[] {
  const [, section = ''] = read('docs/integrate.md').split('\n### Files\n');
  const [, lines = ''] = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(section) ?? [];
  return [block.replace(/(?:proxy_pass|reverse_proxy) \S+:8080;?/, () => lines.replace('/var/www/wiki', folder))];
}

const hosts = ['wiki.company.test', 'portal.company.test'];

/** Returns the configuration of a proxy that serves several applications. authsvc finds the application by its URL. */
const servingHosts = (blocks: string[], port: number): string[] =>
  blocks.map((block) =>
    block
      .replace('?app=wiki', '')
      .replace('wiki.example.com', hosts.map((host) => `http://${host}:${port}`).join(', ')),
  );

/** A constant of the WebSocket handshake (RFC 6455 §1.3). */
const WEBSOCKET_GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/**
 * Starts an application without a sign-in of its own. It replies with the request that it got, and echoes messages on a
 * WebSocket.
 */
async function startApplication(t: TestContext): Promise<number> {
  const server = createServer(async (asked, reply) => {
    const { method, url, headers } = asked;
    const content = (await asked.toArray()).join('');
    reply.setHeader('content-type', 'application/json').end(JSON.stringify({ method, url, headers, content }));
  });
  server.on('upgrade', ({ headers }, socket) => {
    const accept = createHash('sha1').update(`${headers['sec-websocket-key']}${WEBSOCKET_GUID}`).digest('base64');
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    socket.pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  t.onTestFinished(() => void server.close().closeAllConnections());
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

type Served = 'application' | 'files' | 'hosts';

/**
 * Starts the proxy with the configuration of the page. `served` says what is behind the proxy: one application, the
 * files of a folder, or several hosts. Returns the port of the proxy.
 */
async function startProxy(t: TestContext, proxy: Proxy, app: TestApp, served: Served): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'authsvc-proxy-'));
  const own = await freePort();
  // If root starts the proxy, it reads files as another user, who must be able to open the folder.
  await chmod(folder, 0o755);
  const ports = { service: app.port, application: await startApplication(t) };
  const documented = blocksOf(proxy);
  const blocks = {
    application: documented,
    files: servingFiles(documented, proxy, folder),
    hosts: servingHosts(documented, own),
  }[served];
  const placed = blocks.map((block) => between(block, ports));
  const files = Object.entries({ ...proxy.configure(placed, own, folder), 'page.html': '<h1>Page</h1>' });
  for (const [name, text] of files) await writeFile(join(folder, name), text);
  const file = join(folder, 'proxy.conf');
  const env = { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const child = spawn(proxy.program ?? '', proxy.args(file, folder), { stdio: 'ignore', env });
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
  cacheControl: string | undefined;
  retryAfter: string | undefined;
  text: string;
}

/** Requests a URL exactly as given. `fetch` would normalize it. */
function ask(port: number, path: string, headers: Record<string, string> = {}, content?: string): Promise<Answer> {
  const method = content === undefined ? 'GET' : 'POST';
  return new Promise((done, fail) => {
    const asked = request(
      { host: '127.0.0.1', port, path, method, headers: { host: `localhost:${port}`, ...headers } },
      async (reply) => {
        const chunks = await reply.toArray();
        const { location, 'cache-control': cacheControl, 'retry-after': retryAfter } = reply.headers;
        done({ status: reply.statusCode, location, cacheControl, retryAfter, text: chunks.join('') });
      },
    );
    asked.on('error', fail).end(content);
  });
}

/** Opens a WebSocket connection. Returns the status of the handshake, and the reply to `ping`. */
function openWebSocket(port: number, headers: Record<string, string>): Promise<[number | undefined, string]> {
  return new Promise((done, fail) => {
    const host = `localhost:${port}`;
    const key = randomBytes(16).toString('base64');
    const version = { 'sec-websocket-version': '13', 'sec-websocket-key': key };
    const handshake = { host, connection: 'Upgrade', upgrade: 'websocket', ...version, ...headers };
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

/** Returns every spelling of a header in which hyphens may be underscores. */
function spellings(name: string): string[] {
  const [first = '', ...parts] = name.split('-');
  return parts.reduce((starts, part) => starts.flatMap((start) => [`${start}-${part}`, `${start}_${part}`]), [first]);
}

test('the configuration for Traefik removes every header that it adds, in every spelling with underscores', () => {
  const [, section = ''] = read('docs/integrate.md').split('\n### Traefik\n');
  const [, added = ''] = /authResponseHeaders: \[(.*)\]/.exec(section) ?? [];
  const [, removed = ''] = /customRequestHeaders:\n((?: +[\w-]+: ""\n)+)/.exec(section) ?? [];

  const names = [...removed.matchAll(/([\w-]+): ""/g)].map(([, name]) => name);

  expect(names.sort()).toEqual(added.split(', ').flatMap(spellings).sort());
});

describe.each(proxies.filter(({ program }) => program))('$name, as docs/integrate.md sets it up,', (proxy) => {
  async function start(t: TestContext, served: Served = 'application') {
    const stops: (() => Promise<void>)[] = [];
    const stopService = async () => {
      for (const stop of stops.splice(0)) await stop();
    };
    t.onTestFinished(stopService);
    const owner = { onTestFinished: (stop: () => Promise<void>) => void stops.push(stop) };
    const domain = served === 'hosts' ? { DOMAIN: 'company.test' } : {};
    const app = await startApp(owner, { database: 'sqlite', settings: { TRUST_PROXY: 'loopback', ...domain } });
    const port = await startProxy(t, proxy, app, served);
    const [host] = served === 'hosts' ? hosts : ['localhost'];
    const wiki = { key: 'wiki', name: 'Wiki', urls: [`http://${host}:${port}`] };
    await addApplication(app.change(), app.services.settings, wiki);
    const user = await app.seedUser({ apps: ['authsvc', 'wiki'] });
    const client = await app.signIn(user);
    return {
      app,
      stopService,
      port,
      user,
      cookie: [...client.jar].map(([name, value]) => `${name}=${value}`).join('; '),
    };
  }

  test('forwards the URL unchanged, with the headers of the signed-in person in place of those that a client sends', async (t) => {
    const { port, user, cookie } = await start(t);
    const claims = {
      ...{ 'remote-user': 'root', 'Remote-Name': 'Root', 'REMOTE-GROUPS': 'superadmin' },
      ...{ 'remote-email': 'root@example.test', 'remote-user-id': '0', 'x-authsvc-expires': '2999-01-01T00:00:00Z' },
      // Some applications do not distinguish these headers from the ones with hyphens.
      ...{ remote_user: 'root', X_Authsvc_Expires: '2999-01-01T00:00:00Z', 'Remote-User_Id': '2999' },
    };

    const { status, text } = await ask(port, '/a%2Fb?q=C%2B%2B&r=R%26D', { cookie, ...claims });

    const seen: { url: string; headers: Record<string, string> } = JSON.parse(text);
    expect([status, seen.url]).toEqual([200, '/a%2Fb?q=C%2B%2B&r=R%26D']);
    expect(seen.headers).toMatchObject({
      'remote-user': user.username,
      'remote-groups': 'normaluser',
      'remote-user-id': String(user.id),
    });
    expect(text).not.toMatch(/root|2999/i);
  });

  test('replies with 401 to a script and to a form of a visitor without a session', async (t) => {
    const { port } = await start(t);

    for (const headers of [{}, { accept: 'application/json' }, { accept: 'text/html', 'sec-fetch-mode': 'cors' }]) {
      const { status, location, text } = await ask(port, '/api?a=1', headers);
      expect([status, location, text.includes('"url"')]).toEqual([401, undefined, false]);
    }
  });

  test('refuses a person who may not use the application', async (t) => {
    const { app, port } = await start(t);
    const client = await app.signIn(await app.seedUser());

    const { status, text } = await ask(port, '/', { cookie: [...client.jar].map((pair) => pair.join('=')).join('; ') });

    expect([status, text.includes('"url"')]).toEqual([403, false]);
  });

  test('forwards the body of a request, and reports an outage of authsvc as an outage', async (t) => {
    const { stopService, port, cookie } = await start(t);

    const posted = await ask(port, '/form', { cookie, 'content-type': 'text/plain' }, 'content that arrives');
    await stopService();
    const away = await ask(port, '/', { cookie });

    expect([posted.status, JSON.parse(posted.text)]).toEqual([
      200,
      expect.objectContaining({ method: 'POST', content: 'content that arrives' }),
    ]);
    expect([away.status, away.text.includes('"url"')]).toEqual([proxy.name === 'Caddy' ? 502 : 503, false]);
  });

  test('reports a sign-out to the next request, and an outage of the database as 503', async (t) => {
    const { app, port, user } = await start(t);
    const client = await app.signIn(user);
    const cookie = [...client.jar].map(([name, value]) => `${name}=${value}`).join('; ');

    let away: Answer | undefined;
    await whileSessionsAreAway(app, async () => {
      away = await ask(port, '/', { cookie });
    });
    const before = await ask(port, '/', { cookie });
    await client.logout();
    const after = await ask(port, '/', { cookie });

    expect([away?.status, away?.retryAfter !== undefined, away?.text.includes('"url"')]).toEqual([503, true, false]);
    expect([before.status, after.status, after.text.includes('"url"')]).toEqual([200, 401, false]);
  });

  test('forwards WebSockets, but refuses those of visitors without a session', async (t) => {
    const { port, cookie } = await start(t);

    expect(await openWebSocket(port, { cookie })).toEqual([101, 'ping']);
    expect(await openWebSocket(port, {})).toEqual([401, '']);
  });

  // The tests of the example of a company do this with nginx.
  test.skipIf(proxy.name === 'nginx')(
    'protects several hosts under one domain, and each only for the people who may use its application',
    async (t) => {
      const { app, port, user } = await start(t, 'hosts');
      const portal = { key: 'portal', name: 'Portal', urls: [`http://portal.company.test:${port}`] };
      await addApplication(app.change(), app.services.settings, portal);
      const both = await app.seedUser({ apps: ['authsvc', 'wiki', 'portal'] });
      const statuses = async (cookie: string) => {
        const replies = await Promise.all(hosts.map((host) => ask(port, '/', { cookie, host: `${host}:${port}` })));
        return replies.map(({ status }) => status);
      };
      const cookieOf = ({ jar }: { jar: Map<string, string> }) => [...jar].map((pair) => pair.join('=')).join('; ');
      const [one, two] = [await app.signIn(user), await app.signIn(both)];
      const [oneCookie, twoCookie] = [cookieOf(one), cookieOf(two)];

      expect(await statuses('')).toEqual([401, 401]);
      expect(await statuses(oneCookie)).toEqual([200, 403]);
      expect(await statuses(twoCookie)).toEqual([200, 200]);
      await two.logout();
      expect(await statuses(twoCookie)).toEqual([401, 401]);
    },
  );

  test.skipIf(proxy.name === 'HAProxy')(
    'serves files to people who may see them, and no browser caches them',
    async (t) => {
      const { port, cookie } = await start(t, 'files');

      const [seen, hidden] = [await ask(port, '/page.html', { cookie }), await ask(port, '/page.html')];

      expect([seen.status, seen.cacheControl, seen.text]).toEqual([200, 'private, no-cache', '<h1>Page</h1>']);
      expect([hidden.status, hidden.text.includes('Page')]).toEqual([401, false]);
    },
  );

  test.skipIf(!hasChromium())('sends a browser through the sign-in and back to the same URL', async (t) => {
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
      expect(new URL(page.url()).searchParams.get('redirect')).toBe(`http://localhost:${port}${path}`);
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
