import { createAuth } from 'authsvc-client';
import type { ProtectOptions } from 'authsvc-client/node';
import { describe, expect, type TestContext, test } from 'vitest';
import { changeUser } from '../../src/users/change-user.ts';
import { applicationHeaders, sharedApp } from '../http/support.ts';
import { Client } from '../support/client.ts';
import { createToken } from '../support/device-login.ts';
import type { TestApp } from '../support/start-app.ts';
import { frameworks } from './frameworks.ts';

const HTML = { accept: 'text/html,application/xhtml+xml', 'sec-fetch-mode': 'navigate' };

/** Registers an application that has its own secret. */
async function application(app: TestApp) {
  const key = `app-${Math.random().toString(36).slice(2, 10)}`;
  const { authorization } = await applicationHeaders(app, { key });
  const [, secret = ''] = Buffer.from(authorization.slice(6), 'base64').toString().split(':');
  return { key, secret };
}

describe.each(frameworks)('protect with %s', (_name, start) => {
  const service = sharedApp({ database: 'sqlite' });

  async function startApplication(t: TestContext, options: ProtectOptions = {}, more: object = {}) {
    const { key, secret } = await application(service());
    const auth = createAuth({ server: service().url, app: key, secret, ...more });
    t.onTestFinished(() => auth.close());
    const port = await start(t, auth, options);
    const signIn = async (role = 'normaluser') => {
      const user = await service().seedUser({ role, apps: ['authsvc', key] });
      const browser = await service().signIn(user);
      const client = new Client(() => port);
      for (const [name, value] of browser.jar) client.jar.set(name, value);
      return { user, browser, client };
    };
    return { key, port, auth, signIn, stranger: new Client(() => port) };
  }

  test('sends a browser that opens a page to the login page, with the unchanged return address', async (t) => {
    const { stranger, auth, port } = await startApplication(t);

    const reply = await stranger.get('/a%2Fb?x=1&y=%C3%BC&z', { headers: HTML });

    expect([reply.status, reply.headers['cache-control']]).toEqual([302, 'no-store']);
    expect(reply.headers.location).toBe(auth.loginUrl(`http://127.0.0.1:${port}/a%2Fb?x=1&y=%C3%BC&z`));
  });

  test('replies to a script, a program and a form with 401 and the URL of the login page', async (t) => {
    const { stranger, auth, port } = await startApplication(t);
    const asked: [string, Record<string, string>][] = [
      ['GET', { accept: 'text/html', 'sec-fetch-mode': 'cors' }],
      ['GET', { accept: 'text/html', 'x-requested-with': 'XMLHttpRequest' }],
      ['GET', { accept: '*/*' }],
      ['POST', HTML],
    ];

    for (const [method, headers] of asked) {
      const reply = await stranger.request(method, '/a?b=1', { headers });
      expect([reply.status, reply.headers['cache-control'], reply.headers.location]).toEqual([
        401,
        'no-store',
        undefined,
      ]);
      const login_url = auth.loginUrl(`http://127.0.0.1:${port}/a?b=1`);
      expect(reply.body).toMatchObject({ success: false, code: 'NOT_SIGNED_IN', login_url });
    }
  });

  test('lets a visitor pass with every method, until the session ends', async (t) => {
    const { signIn } = await startApplication(t);
    const { user, browser, client } = await signIn();
    const headers = { 'sec-fetch-site': 'same-origin' };
    for (const method of ['GET', 'POST', 'DELETE', 'GET']) {
      const reply = await client.request(method, '/x', { headers });
      expect([method, reply.status, reply.body]).toEqual([method, 200, { username: user.username }]);
    }

    await browser.logout();

    await expect.poll(async () => (await client.get('/x')).status, { timeout: 5000 }).toBe(401);
  });

  test('lets a visitor without a session pass if signing in is optional', async (t) => {
    const { stranger } = await startApplication(t, { optional: true });

    const reply = await stranger.get('/', { headers: HTML });

    expect([reply.status, reply.body]).toEqual([200, { username: null }]);
  });

  test('replies with 403 to a person who may not use the application or has another role', async (t) => {
    const { key, port, signIn } = await startApplication(t, { role: ['editor', 'chief'] });
    const [plain, root] = [await signIn(), await signIn('superadmin')];

    const refused = await plain.client.get('/');
    expect([refused.status, refused.body.code, refused.headers['cache-control']]).toEqual([
      403,
      'ROLE_NOT_ALLOWED',
      'no-store',
    ]);
    const page = await plain.client.get('/a?b=1&c', { headers: HTML });
    expect([page.status, page.headers['content-type'], page.headers['cache-control']]).toEqual([
      403,
      'text/html; charset=utf-8',
      'no-store',
    ]);
    expect(page.text).toContain(`<bdi>${plain.user.username}</bdi>. The role of this account does not allow this.`);
    const back = encodeURIComponent(`http://127.0.0.1:${port}/a?b=1&c`);
    expect(page.text).toContain(`href="${service().url}/authsvc/accounts?redirect=${back}"`);
    const german = await plain.client.get('/', {
      headers: { ...HTML, 'accept-language': 'fr, en;q=0.5, de-CH;q=0.9' },
    });
    expect(german.text).toContain('Die Rolle dieses Kontos erlaubt das nicht.');
    expect((await root.client.get('/')).status).toBe(200);
    await changeUser(service().change(), plain.user.username, { apps: ['authsvc', `${key}-x`] });
    await expect.poll(async () => (await plain.client.get('/')).body.code, { timeout: 5000 }).toBe('APP_NOT_ALLOWED');
  });

  test('lets only superadmins pass if the list of roles is empty', async (t) => {
    const { signIn } = await startApplication(t, { role: [] });
    const [plain, root] = [await signIn(), await signIn('superadmin')];

    expect((await plain.client.get('/')).body.code).toBe('ROLE_NOT_ALLOWED');
    expect((await root.client.get('/')).status).toBe(200);
  });

  test('refuses a change that a page of another site sends with the cookie', async (t) => {
    const { port, signIn } = await startApplication(t, {}, { origins: ['https://friend.example'] });
    const { client } = await signIn();
    const post = async (headers: Record<string, string>) => (await client.request('POST', '/', { headers })).status;
    const own = `http://127.0.0.1:${port}`;

    const statuses = {
      crossSite: await post({ 'sec-fetch-site': 'cross-site' }),
      sameSite: await post({ 'sec-fetch-site': 'same-site', origin: own }),
      byHand: await post({ 'sec-fetch-site': 'none' }),
      friend: await post({ 'sec-fetch-site': 'cross-site', origin: 'https://friend.example' }),
      oldBrowser: await post({ origin: 'https://evil.example' }),
      noOrigin: await post({ origin: 'null' }),
      ownOrigin: await post({ origin: own }),
      program: await post({}),
      read: (await client.get('/', { headers: { 'sec-fetch-site': 'cross-site' } })).status,
    };

    expect(statuses).toEqual({
      crossSite: 403,
      sameSite: 403,
      byHand: 200,
      friend: 200,
      oldBrowser: 403,
      noOrigin: 403,
      ownOrigin: 200,
      program: 200,
      read: 200,
    });
  });

  test('accepts tokens only if the option for them is set, and lets read-only tokens only read', async (t) => {
    const [with_, without] = [await startApplication(t, { tokens: true }), await startApplication(t)];
    const { browser, user } = await with_.signIn('superadmin');
    const [reading, writing] = await Promise.all(
      ['read-only', 'write'].map((scope) => createToken(browser, { scope })),
    );
    const ask = async (one: typeof without, method: string, token: unknown, more = {}) => {
      const headers = { authorization: `Bearer ${token}`, ...more };
      const { status, body } = await one.stranger.request(method, '/', { headers });
      return [status, body.code ?? body.username];
    };

    expect(await ask(with_, 'GET', reading?.token)).toEqual([200, user.username]);
    expect(await ask(with_, 'POST', writing?.token, { 'sec-fetch-site': 'cross-site' })).toEqual([200, user.username]);
    expect(await ask(with_, 'POST', reading?.token)).toEqual([403, 'TOKEN_READ_ONLY']);
    expect(await ask(with_, 'GET', `tok_${'0'.repeat(64)}`, HTML)).toEqual([401, 'NOT_SIGNED_IN']);
    expect(await ask(without, 'GET', writing?.token)).toEqual([401, 'NOT_SIGNED_IN']);
  });

  test('replies with 503 if the service is unavailable or the secret is wrong, even if signing in is optional', async (t) => {
    for (const more of [{ server: 'http://127.0.0.1:9' }, { secret: `acs_${'0'.repeat(64)}` }]) {
      const { signIn } = await startApplication(t, { optional: true }, more);
      const { client } = await signIn();

      const reply = await client.get('/', { headers: HTML });

      expect([reply.status, reply.headers['retry-after'], reply.headers['cache-control']]).toEqual([
        503,
        '1',
        'no-store',
      ]);
    }
  });
});
