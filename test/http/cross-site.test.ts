import { describe, expect, test } from 'vitest';
import type { RequestOptions } from '../support/client.ts';
import { expectError, sharedApp } from './support.ts';

type Headers = NonNullable<RequestOptions['headers']>;

const foreign: Headers[] = [
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { origin: 'null', 'sec-fetch-site': 'none' },
  { origin: 'null', 'sec-fetch-site': 'cross-site' },
  { origin: '' },
  { origin: 'https://127.0.0.1' },
  { origin: 'http://127.0.0.1:1' },
  { origin: 'http://127.0.0.1.evil.example' },
  { 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' },
  { 'sec-fetch-site': 'anything' },
];

describe("a browser's request from another site", () => {
  const app = sharedApp({ database: 'sqlite' });

  test.each(foreign)('with %j cannot change anything', async (headers) => {
    const user = await app().seedUser();
    const client = await app().signIn(user);
    const _csrf = await client.csrf();

    expectError(await client.post('/authsvc/api/logout', { _csrf }, { headers }), 'CROSS_SITE_REQUEST');
    expectError(await app().client().login(user, { headers }), 'CROSS_SITE_REQUEST');
    expectError(await client.post('/authsvc/test', {}, { headers }), 'CROSS_SITE_REQUEST');
    const withToken = { ...headers, authorization: 'Bearer x' };
    expectError(await client.post('/authsvc/api/logout-all', undefined, { headers: withToken }), 'CROSS_SITE_REQUEST');
    for (const method of ['PUT', 'PATCH', 'DELETE', 'POST']) {
      expectError(await client.request(method, '/nothing', { headers }), 'CROSS_SITE_REQUEST');
    }

    expect(await client.isSignedIn()).toBe(true);
  });

  test.each(foreign)('with %j can still open pages and read', async (headers) => {
    const client = await app().signIn(await app().seedUser());

    for (const path of ['/authsvc/login', '/authsvc/test', '/authsvc/api/checkSession']) {
      expect([path, (await client.page(path, { headers })).status]).toEqual([path, 200]);
    }
  });

  test('that sends JSON as text/plain from a form is refused, whatever its origin', async () => {
    const user = await app().seedUser();
    const raw = JSON.stringify({ username: user.username, password: user.password });

    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'text/json',
    ]) {
      const reply = await app().client().request('POST', '/authsvc/api/login', { raw, type });
      expectError(reply, 'CONTENT_TYPE_UNSUPPORTED');
      expect(reply.cookies).toEqual([]);
    }
  });

  test('gets no header that lets its origin read the reply', async () => {
    for (const method of ['GET', 'OPTIONS', 'HEAD']) {
      const { headers } = await app()
        .client()
        .request(method, '/authsvc/api/checkSession', {
          headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
        });
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });
});

describe('a request from this site', () => {
  const app = sharedApp({ database: 'sqlite' });
  const deployed = sharedApp({
    database: 'sqlite',
    settings: { IS_DEPLOYED: 'true', BASE_URL: 'https://auth.example.test', DOMAIN: 'example.test' },
  });
  const behindProxy = { host: 'auth.example.test', 'x-forwarded-proto': 'https' };

  test('is accepted, and so is a request of a program', async () => {
    const user = await app().seedUser();
    const own = [
      {},
      { origin: app().url },
      { origin: app().url, 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'none' },
      { host: 'localhost:1234', origin: 'http://localhost:1234' },
      { host: 'localhost:1234', origin: 'https://localhost:1234', 'x-forwarded-proto': 'https' },
      { host: 'localhost:1234', origin: 'https://localhost:1234', 'x-forwarded-proto': 'HTTPS' },
      { host: 'localhost:1234', origin: 'https://localhost:1234', 'x-forwarded-proto': 'wss' },
      { host: 'localhost:1234', origin: 'http://localhost:1234', 'x-forwarded-proto': 'ws' },
      { origin: 'null', 'sec-fetch-site': 'same-origin' },
    ];

    for (const headers of own)
      expect([headers, (await app().client().login(user, { headers })).status]).toEqual([headers, 200]);
  });

  test.each([
    ['https://auth.example.test', 200],
    ['https://app.example.test', 403],
    ['https://auth.example.test:444', 403],
    ['http://auth.example.test', 403],
    ['https://evilexample.test', 403],
    ['https://auth.example.test.evil.example', 403],
    ['https://AUTH.example.test.', 403],
  ])('behind a proxy the public origin is compared: %s gets %i', async (origin, status) => {
    const user = await deployed().seedUser();

    expect(
      (
        await deployed()
          .client()
          .login(user, { headers: { ...behindProxy, origin } })
      ).status,
    ).toBe(status);
  });

  test('from a page that sends no referrer is accepted if the browser says that it has the same origin', async () => {
    const user = await deployed().seedUser();
    const headers = { ...behindProxy, origin: 'null', 'sec-fetch-site': 'same-origin' };

    expect((await deployed().client().login(user, { headers })).status).toBe(200);
  });

  test('when deployed, the host that the request names is ignored', async () => {
    const user = await deployed().seedUser();
    const headers = {
      ...behindProxy,
      'x-forwarded-host': 'evil.example',
      host: 'evil.example',
      origin: 'https://evil.example',
    };

    expectError(await deployed().client().login(user, { headers }), 'CROSS_SITE_REQUEST');
  });
});
