import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { Reply } from '../support/client.ts';
import { startApp, type TestApp } from '../support/start-app.ts';
import { sharedApp } from './support.ts';

const DEPLOYED = { IS_DEPLOYED: 'true', BASE_URL: 'https://auth.example.test', DOMAIN: 'example.test' };

/** One request for every kind of reply, with the status of the reply. */
const kinds: [string, number, (app: TestApp) => Promise<Reply>][] = [
  ['JSON', 200, (app) => app.client().get('/authsvc/api/checkSession')],
  ['a page', 200, (app) => app.client().page('/authsvc/login')],
  ['the list of errors', 200, (app) => app.client().page('/authsvc/ErrorCode')],
  ['HEAD of a page', 200, (app) => app.client().request('HEAD', '/authsvc/login')],
  ['a style sheet', 200, async (app) => app.client().get(await styleSheet(app))],
  ['OPTIONS', 204, (app) => app.client().request('OPTIONS', '/authsvc/login')],
  ['a redirect to the login page', 302, (app) => app.client().page('/authsvc/test')],
  ['a redirect of a short URL', 302, (app) => app.client().page('/login?redirect=/x')],
  ['bad input', 400, (app) => app.client().post('/authsvc/api/checkSession', {})],
  ['a broken body', 400, (app) => app.client().request('POST', '/authsvc/api/login', { raw: '{' })],
  ['a malformed URL', 400, (app) => app.client().get('/authsvc/%E0%A4%A')],
  ['a malformed URL of a page', 400, (app) => app.client().page('/authsvc/%E0%A4%A')],
  ['a missing session', 401, (app) => app.client().post('/authsvc/test')],
  [
    'a cross-site request',
    403,
    (app) => app.client().post('/authsvc/test', {}, { headers: { 'sec-fetch-site': 'cross-site' } }),
  ],
  ['an unknown path', 404, (app) => app.client().get('/authsvc/nothing')],
  ['an unknown path of a page', 404, (app) => app.client().page('/nothing')],
  ['an unknown style sheet', 404, (app) => app.client().get('/authsvc/assets/nothing.css')],
  ['a method that is not allowed', 405, (app) => app.client().get('/authsvc/api/login')],
  ['a large body', 413, (app) => app.client().post('/authsvc/api/login', { username: 'x'.repeat(70_000) })],
  [
    'a body of another content type',
    415,
    (app) => app.client().request('POST', '/authsvc/api/login', { raw: 'a=b', type: 'text/plain' }),
  ],
  ['a request over the rate limit', 429, overTheLimit],
];

async function styleSheet(app: TestApp): Promise<string> {
  const { text } = await app.client().page('/authsvc/login');
  return /href="([^"]+\.css)"/.exec(text)?.[1] ?? '/no-style-sheet';
}

async function overTheLimit(app: TestApp): Promise<Reply> {
  for (let i = 0; i < 8; i += 1) await app.client().page('/authsvc/login', { address: '198.51.100.99' });
  return app.client().page('/authsvc/login', { address: '198.51.100.99' });
}

function expectSecure({ headers }: Reply): void {
  const policy = headers['content-security-policy'] ?? '';
  expect(policy).toMatch(/default-src 'none'/);
  expect(policy).toMatch(/frame-ancestors 'none'/);
  expect(policy).toMatch(/base-uri 'none'/);
  expect(policy).toMatch(/form-action 'self'/);
  expect(policy).not.toMatch(/unsafe|\*|nonce|report/);
  expect(headers['x-content-type-options']).toBe('nosniff');
  expect(headers['x-frame-options']).toBe('DENY');
  expect(headers['referrer-policy']).toMatch(/^(no-referrer|same-origin|strict-origin)$/);
  expect(headers['x-powered-by']).toBeUndefined();
  expect(headers.server).toBeUndefined();
}

const isAsset = (what: string) => what === 'a style sheet';

describe('the headers of every kind of reply', () => {
  const local = sharedApp({ database: 'sqlite' });
  const deployed = sharedApp({ database: 'sqlite', settings: DEPLOYED });

  test.each(kinds)('for %s (%i) are strict, and forbid caching', async (what, status, ask) => {
    const reply = await ask(local());

    expect(reply.status).toBe(status);
    expectSecure(reply);
    expect(reply.headers['strict-transport-security']).toBeUndefined();
    if (!isAsset(what)) expect(reply.headers['cache-control']).toBe('no-store');
  });

  test.each(kinds)('for %s (%i) contain HSTS when deployed', async (_what, status, ask) => {
    const reply = await ask(deployed());

    expect(reply.status).toBe(status);
    expectSecure(reply);
    expect(reply.headers['strict-transport-security']).toMatch(/^max-age=31536000\b/);
  });

  test('let a style sheet be cached for a year', async () => {
    const { headers } = await local()
      .client()
      .get(await styleSheet(local()));

    expect(headers['cache-control']).toMatch(/\bmax-age=31536000\b/);
    expect(headers['content-type']).toContain('text/css');
  });

  test('tell caches if the reply depends on the user', async () => {
    for (const path of ['/authsvc/login', '/authsvc/ErrorCode', '/nothing']) {
      expect((await local().client().page(path)).headers.vary).toMatch(/Cookie/);
    }
  });
});

test('a 500 has all security headers, and reveals no internal details', async (t) => {
  const app = await startApp(t, { database: 'sqlite' });
  const client = await app.signIn(await app.seedUser());
  await sql`drop table sessions`.execute(app.services.database.kysely);

  for (const reply of [await client.get('/authsvc/api/checkSession'), await client.page('/authsvc/test')]) {
    expect(reply.status).toBe(500);
    expectSecure(reply);
    expect(reply.headers['cache-control']).toBe('no-store');
    expect(reply.text).not.toMatch(/sqlite|kysely|node_modules|no such table|\bat .+:\d+:\d+/i);
  }
});

test('a 503 has all security headers', async (t) => {
  const app = await startApp(t, { database: 'sqlite' });
  app.services.database.ping = () => Promise.reject(new Error('away'));

  const reply = await app.client().get('/readyz');

  expect(reply.status).toBe(503);
  expect(reply.body).toEqual({ status: 'unavailable', dependencies: { database: 'unavailable' } });
  expectSecure(reply);
});

describe('a request that a trusted proxy got over plain http', () => {
  const plain = { 'x-forwarded-proto': 'http' };
  const deployed = sharedApp({ database: 'sqlite', settings: DEPLOYED });
  const local = sharedApp({ database: 'sqlite' });
  const unproxied = sharedApp({ database: 'sqlite', settings: { ...DEPLOYED, TRUST_PROXY: 'false' } });
  const elsewhere = sharedApp({ database: 'sqlite', settings: { ...DEPLOYED, TRUST_PROXY: '192.0.2.1' } });

  test('to a page is redirected to https, with path and query', async () => {
    const reply = await deployed().client().page('/authsvc/login?redirect=/x', { headers: plain });

    expect(reply.status).toBe(302);
    expect(reply.headers.location).toBe('https://auth.example.test/authsvc/login?redirect=/x');
  });

  test.each([
    ['HTTP', 302],
    ['http, http', 302],
    ['ws', 302],
    ['https', 200],
    ['HTTPS', 200],
    ['https,http', 200],
    ['http, https', 200],
    ['wss', 200],
    ['WSS', 200],
    ['wss, http', 200],
    ['ftp', 302],
  ])('with X-Forwarded-Proto: %s gets %i', async (hops, status) => {
    const reply = await deployed()
      .client()
      .page('/authsvc/login', { headers: { 'x-forwarded-proto': hops } });

    expect(reply.status).toBe(status);
  });

  test('is not redirected to a host that the request names', async () => {
    const headers = { ...plain, host: 'evil.example', 'x-forwarded-host': 'evil.example' };

    for (const path of ['/authsvc/login', '//evil.example/', '/\\evil.example']) {
      const reply = await deployed().client().page(path, { headers });
      expect([path, reply.headers.location ?? 'https://auth.example.test/']).toEqual([
        path,
        expect.stringMatching(/^https:\/\/auth\.example\.test\//),
      ]);
    }
  });

  test('to anything else is refused, so that no secret is sent over http again', async () => {
    const user = await deployed().seedUser();

    const reply = await deployed().client().login(user, { headers: plain });

    expect(reply.status).toBe(403);
    expect(reply.body.code).toBe('HTTPS_REQUIRED');
    expect(reply.cookies).toEqual([]);
    expect(
      (
        await deployed()
          .client()
          .login(user, { headers: { 'x-forwarded-proto': 'https' } })
      ).status,
    ).toBe(200);
  });

  test('is accepted if the service is not deployed, or if the header does not come from a trusted proxy', async () => {
    for (const app of [local, unproxied, elsewhere])
      expect((await app().client().page('/authsvc/login', { headers: plain })).status).toBe(200);
  });

  test.each(['/healthz', '/readyz'])('to %s is answered, because the reply contains no secret', async (path) => {
    expect((await deployed().client().get(path, { headers: plain })).status).toBe(200);
  });
});
