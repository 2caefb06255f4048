import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { certificate } from '../support/certificate.ts';
import { freshDatabase } from '../support/each-database.ts';
import { startForwardProxy } from '../support/forward-proxy.ts';
import { CLIENT, startOAuthServer } from '../support/oauth-server.ts';
import { serve } from '../support/serve.ts';
import { addUser, type Owner, runCommand, runProgram, startService } from './support.ts';

// Starting processes takes long on a busy machine.
vi.setConfig({ testTimeout: 90_000 });

async function emptyPlace(t: Owner) {
  const fresh = await freshDatabase('sqlite');
  t.onTestFinished(fresh.drop);
  return fresh;
}

/** Returns the host and port of a URL, in the form of a CONNECT request. */
const hostOf = (url: string) => new URL(url).host;

const websso = (issuer: string) => ({
  WEBSSO_LOGIN_ENABLED: 'true',
  WEBSSO_CLIENT_ID: CLIENT.id,
  WEBSSO_CLIENT_SECRET: CLIENT.secret,
  WEBSSO_ISSUER: issuer,
});

/** Starts an https issuer with a self-signed certificate. */
async function startHttpsIssuer(t: Owner): Promise<string> {
  let issuer = '';
  const server = createServer(certificate, (_request, reply) => {
    reply.writeHead(200, { 'content-type': 'application/json' });
    const addresses = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'].map((name) => [
      name,
      `${issuer}/${name}`,
    ]);
    reply.end(JSON.stringify({ issuer, ...Object.fromEntries(addresses) }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  issuer = `https://localhost:${typeof address === 'object' ? address?.port : ''}`;
  return issuer;
}

const startPage = '/authsvc/api/websso/login';

test.each(['HTTP_PROXY', 'http_proxy'])(
  'with %s a whole sign-in contacts the provider through the proxy',
  async (key) => {
    const stops: (() => Promise<void>)[] = [];
    const t: Owner = { onTestFinished: (stop) => void stops.unshift(stop) };
    const [proxy, codehost, place] = [await startForwardProxy(t), await startOAuthServer(t), await emptyPlace(t)];
    const settings = { ...codehost.settings, [key]: proxy.url, LOGIN_REDIRECT_URL: '/home' };
    const service = await startService(t, { ...place, settings });
    await addUser(t, place, 'ada');
    await runCommand(t, place, ['link', 'add', 'ada', 'codehost', '4711']);
    const client = service.client();

    const start = await client.page('/authsvc/api/codehost/login');
    const reply = await client.page(codehost.agree(String(start.headers.location)));

    expect(reply.headers.location).toBe('/home');
    expect(codehost.seen.map(({ path }) => path)).toEqual(['/token', '/user']);
    expect(new Set(proxy.seen)).toEqual(new Set([hostOf(codehost.url)]));
    for (const stop of stops) await stop();
  },
);

test('with HTTPS_PROXY a TLS connection goes through the proxy, which gets its credentials', async (t) => {
  const [proxy, issuer, place] = [await startForwardProxy(t), await startHttpsIssuer(t), await emptyPlace(t)];
  const authority = join(place.folder, 'authority.pem');
  await writeFile(authority, certificate.cert);
  const withUser = proxy.url.replace('http://', 'http://proxy-user:p%40ss-phrase@');
  const settings = { ...websso(issuer), HTTPS_PROXY: withUser, NODE_EXTRA_CA_CERTS: authority };
  const service = await startService(t, { ...place, settings });

  const reply = await service.client().page(startPage);

  expect([reply.status, String(reply.headers.location)]).toEqual([
    302,
    expect.stringContaining(`${issuer}/authorization_endpoint?`),
  ]);
  expect(proxy.seen).toEqual([hostOf(issuer)]);
  const basic = Buffer.from('proxy-user:p@ss-phrase').toString('base64');
  expect(proxy.credentials).toEqual([`Basic ${basic}`]);
  expect(service.stdout() + service.stderr()).not.toMatch(/p@ss-phrase|p%40ss-phrase/);
});

test('HTTP_PROXY alone is used for https URLs too', async (t) => {
  const [proxy, issuer, place] = [await startForwardProxy(t), await startHttpsIssuer(t), await emptyPlace(t)];
  const service = await startService(t, { ...place, settings: { ...websso(issuer), HTTP_PROXY: proxy.url } });

  const reply = await service.client().page(startPage);

  // The issuer's certificate is self-signed, and the proxy does not change that.
  expect(reply.status).toBe(500);
  await vi.waitFor(() => expect(service.stdout()).toContain('NODE_EXTRA_CA_CERTS'), { timeout: 30_000 });
  expect(proxy.seen).toEqual([hostOf(issuer)]);
});

test.each([
  ['127.0.0.1', 0],
  ['localhost, 127.0.0.1:PORT', 0],
  ['*', 0],
  ['127.0.0.1:1,example.com', 1],
])('with NO_PROXY=%s, the number of requests to the provider that go through the proxy is %i', async (hosts, times) => {
  const stops: (() => Promise<void>)[] = [];
  const t: Owner = { onTestFinished: (stop) => void stops.unshift(stop) };
  const [proxy, place] = [await startForwardProxy(t), await emptyPlace(t)];
  const asked: string[] = [];
  const issuer = await serve(t, (request, reply) => {
    asked.push(request.url ?? '');
    reply.writeHead(404).end();
  });
  const NO_PROXY = hosts.replace('PORT', new URL(issuer).port);
  const settings = { ...websso(issuer), HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url, NO_PROXY };
  const service = await startService(t, { ...place, settings });

  await service.client().page(startPage);

  expect(asked).toHaveLength(1);
  expect(proxy.seen).toHaveLength(times);
  for (const stop of stops) await stop();
});

test('without a proxy a provider is contacted directly', async (t) => {
  const place = await emptyPlace(t);
  const asked: string[] = [];
  const issuer = await serve(t, (request, reply) => {
    asked.push(request.url ?? '');
    reply.writeHead(404).end();
  });
  const service = await startService(t, { ...place, settings: { ...websso(issuer), NO_PROXY: 'example.com' } });

  await service.client().page(startPage);

  expect(asked).toEqual(['/.well-known/openid-configuration']);
});

test('a proxy that refuses a connection is a fault of the settings, and the log names the proxy', async (t) => {
  const [proxy, place] = [await startForwardProxy(t), await emptyPlace(t)];
  proxy.refuses = 407;
  const settings = { ...websso('http://sso.example.test'), HTTP_PROXY: proxy.url };
  const service = await startService(t, { ...place, settings });

  const reply = await service.client().page(startPage);

  expect(reply.status).toBe(500);
  const words = 'the proxy (HTTPS_PROXY, HTTP_PROXY) answered 407';
  await vi.waitFor(() => expect(service.stdout()).toContain(words), { timeout: 30_000 });
});

test('the update check contacts the registry through the proxy', async (t) => {
  const [proxy, place] = [await startForwardProxy(t), await emptyPlace(t)];
  const registry = await serve(t, (_request, reply) => {
    reply.writeHead(200, { 'content-type': 'application/json' });
    reply.end(JSON.stringify({ 'dist-tags': { latest: '99.0.0' }, versions: { '99.0.0': { version: '99.0.0' } } }));
  });
  const settings = { UPDATE_CHECK: 'on', HTTP_PROXY: proxy.url, npm_config_registry: `${registry}/` };
  const service = await startService(t, { ...place, settings });

  let asked = 0;
  await vi.waitFor(
    async () => {
      asked += 1;
      const { body } = await service.client().get('/authsvc/info.json', { address: `198.18.0.${asked % 250}` });
      expect(body.latest_version).toBe('99.0.0');
    },
    { timeout: 60_000, interval: 200 },
  );

  expect(new Set(proxy.seen)).toEqual(new Set([hostOf(registry)]));
});

test('authsvc login contacts its server through the proxy', async (t) => {
  const [proxy, place] = [await startForwardProxy(t), await emptyPlace(t)];
  const service = await startService(t, place);
  await runCommand(t, place, ['profile', 'add', 'Backups', '--key', 'backup-tools']);
  const server = `http://127.0.0.1:${service.port}`;
  const settings = { HTTP_PROXY: proxy.url, HOME: place.folder };
  const args = ['login', '--server', server, '--profile', 'backup-tools', '--no-browser'];

  const login = runProgram(t, { ...place, settings }, args);

  await vi.waitFor(() => expect(login.stderr()).toMatch(/\b[A-Z]{4}-[A-Z]{4}\b/), { timeout: 60_000 });
  expect(proxy.seen).toContain(hostOf(server));
  const gone = await runCommand(t, { ...place, settings: { ...settings, HTTP_PROXY: 'socks5://proxy:1' } }, args);
  expect([gone.code, gone.stdout]).toEqual([1, '']);
  expect(gone.stderr).toMatch(
    /^These settings cannot be used:\n {2}HTTP_PROXY: expected the address of an http or https proxy/,
  );
});

test('an invalid proxy stops the start, and its password is not repeated', async (t) => {
  const place = await emptyPlace(t);
  const settings = { HTTPS_PROXY: 'http://user:the-password@proxy/path', http_proxy: 'ftp://proxy' };

  const { code, stderr } = await runCommand(t, { ...place, settings }, ['serve']);

  expect(code).toBe(1);
  expect(stderr).toMatch(/ {2}HTTPS_PROXY: expected .*\n {2}HTTP_PROXY: expected /);
  expect(stderr).not.toContain('the-password');
});
