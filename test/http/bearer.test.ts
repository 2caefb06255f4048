import { expect, test } from 'vitest';
import { DAY_MS } from '../../src/lib/clock.ts';
import { changeUser } from '../../src/users/change-user.ts';
import type { Client } from '../support/client.ts';
import { type Codes, createToken, poll, requestToken, seedProfile, verify } from '../support/device-login.ts';
import { eachDatabase } from '../support/each-database.ts';
import { sharedApp } from './support.ts';

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const check = (client: Client, authorization: string) =>
  client.post('/authsvc/test', undefined, { headers: { authorization } });

eachDatabase('bearer credentials', (database) => {
  const shared = sharedApp({ database });

  test('the scheme is accepted in any case of letters, and a token that differs from the issued one is refused', async () => {
    const app = shared();
    const { token } = await createToken(await app.signIn(await app.seedUser()));
    const good = [`Bearer ${token}`, `bearer ${token}`, `BEARER  ${token}`];
    const changed = [token.toUpperCase(), `${token}x`, `${token} ${token}`, '', `tok_${'0'.repeat(64)}`, 'nonsense'];
    const bad = [...changed.map((text) => `Bearer ${text}`), `Basic ${token}`, token];

    const passed = await Promise.all(good.map((header) => check(app.client(), header)));
    const refused = await Promise.all(bad.map((header) => check(app.client(), header)));

    expect(passed.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(refused.map(({ status }) => status)).toEqual(bad.map(() => 401));
    expect(refused[0]?.body).toMatchObject({ code: 'TOKEN_INVALID', error_code: 610 });
    expect(refused[0]?.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
  });

  test('a read-only token can only read, and a write token can also change', async () => {
    const app = shared();
    const [ada, profile] = await Promise.all([app.seedUser({ username: 'ada' }), seedProfile(app)]);
    const browser = await app.signIn(ada);
    const [reading, writing] = [await createToken(browser), await createToken(browser, { scope: 'write' })];
    const codes = await requestToken(app.client(), profile.key);
    const approve = (token: string) =>
      app.client().post('/api/cli/device/approve', { user_code: codes.userCode, action: 'approve' }, bearer(token));

    const page = await app.client().page('/authsvc/test', bearer(reading.token));
    const head = await app.client().request('HEAD', '/authsvc/test', bearer(reading.token));
    const posted = await check(app.client(), `Bearer ${reading.token}`);
    const refused = await approve(reading.token);
    const approved = await approve(writing.token);

    expect([page.status, head.status, posted.status]).toEqual([200, 200, 200]);
    expect(page.text).toContain('ada');
    expect(page.text).not.toMatch(/id="(session-id|logout)"/);
    expect([refused.status, refused.body.code]).toEqual([403, 'TOKEN_READ_ONLY']);
    expect(refused.headers['www-authenticate']).toContain('insufficient_scope');
    expect(approved.body).toMatchObject({ success: true, status: 'approved' });
  });

  test('a token that approves a device login gives the new token no more rights than its own', async () => {
    const app = shared();
    const ada = await app.seedUser({ apps: ['authsvc', 'wiki', 'mail'] });
    const profile = await seedProfile(app, { scope: 'write', apps: ['Wiki', 'authsvc', 'mail'], expiresInDays: 30 });
    const browser = await app.signIn(ada);
    const [own, program] = [{ scope: 'write', expiresDays: 1, allowed_apps: ['authsvc', 'wiki'] }, app.client()];
    const approver = await createToken(browser, own);
    const approve = ({ userCode }: Codes) =>
      app.client().post('/api/cli/device/approve', { user_code: userCode, action: 'approve' }, bearer(approver.token));
    const [first, second] = [await requestToken(program, profile.key), await requestToken(program, profile.key)];

    await Promise.all([approve(first), approve(second)]);
    const delivered = await poll(program, first);
    const verified = await verify(program, String(delivered.body.token));
    await browser.request('DELETE', `/api/token/${approver.id}`);
    const afterwards = await poll(program, second);

    expect(verified.body).toMatchObject({ permissions: { scope: 'write', allowed_apps: ['Wiki', 'authsvc'] } });
    expect(new Date(String(verified.body.expiresAt)).getTime()).toBeLessThanOrEqual(app.clock.now() + DAY_MS);
    expect(afterwards.body).toMatchObject({ success: false, status: 'denied' });
  });

  test('no token with the scope write can create or revoke tokens, or use a route that needs a CSRF token or a superadmin', async () => {
    const app = shared();
    const root = await app.seedUser({ role: 'superadmin' });
    const { id, token } = await createToken(await app.signIn(root), { scope: 'write' });
    const ask = (method: string, path: string, json?: unknown) =>
      app.client().request(method, path, { json, ...bearer(token) });

    const replies = await Promise.all([
      ask('POST', '/api/token', { name: 'more' }),
      ask('DELETE', `/api/token/${id}`),
      ask('GET', '/api/admin/api-tokens/stats'),
      ask('GET', `/api/admin/api-tokens/${root.username}`),
      ask('DELETE', `/api/admin/api-tokens/${id}`),
      ask('GET', '/authsvc/validate-superadmin'),
    ]);
    const logout = await ask('POST', '/authsvc/api/logout', {});

    expect(replies.map(({ status }) => status)).toEqual(Array(6).fill(401));
    expect(logout.status).toBe(400);
    expect((await verify(app.client(), token)).body.tokenValid).toBe(true);
  });

  test('a token is valid only for applications that it and its user may use at this moment', async () => {
    const app = shared();
    const [ada, bob] = await Promise.all([app.seedUser({ apps: ['authsvc', 'billing'] }), app.seedUser()]);
    const browser = await app.signIn(ada);
    const [here, elsewhere] = [await createToken(browser), await createToken(browser, { allowed_apps: ['billing'] })];
    const ofBob = await createToken(await app.signIn(bob), { allowed_apps: ['AuthSvc'] });
    const ask = async (token: string) => {
      const { status, body } = await check(app.client(), `Bearer ${token}`);
      return [status, body.code];
    };

    expect(await ask(here.token)).toEqual([200, undefined]);
    expect(await ask(elsewhere.token)).toEqual([403, 'APP_NOT_ALLOWED']);
    expect(await ask(ofBob.token)).toEqual([200, undefined]);
    await changeUser(app.change(), bob.username, { apps: ['billing'] });
    expect(await ask(ofBob.token)).toEqual([403, 'APP_NOT_ALLOWED']);
    await changeUser(app.change(), ada.username, { isActive: false });
    expect(await ask(here.token)).toEqual([401, 'TOKEN_INVALID']);
  });

  test('a bearer credential takes precedence over the cookie; other schemes do not affect the cookie', async () => {
    const app = shared();
    const browser = await app.signIn(await app.seedUser());

    const bad = await check(browser, 'Bearer nonsense');
    const page = await browser.page('/authsvc/test', bearer('nonsense'));
    const basic = await check(browser, 'Basic dXNlcjpwYXNz');

    expect([bad.status, page.status, basic.status]).toEqual([401, 401, 200]);
  });

  test('a session is not accepted as a token, nor a token as a session, and neither helps a page of another site', async () => {
    const app = shared();
    const browser = await app.signIn(await app.seedUser());
    const { token } = await createToken(browser);
    const disguised = app.client();
    disguised.jar.set('session_id', token);
    const headers = { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' };

    const cookieAsToken = await check(app.client(), `Bearer ${browser.jar.get('session_id')}`);
    const foreign = await app
      .client()
      .post('/authsvc/test', undefined, { headers: { ...headers, authorization: `Bearer ${token}` } });
    const withCookie = await browser.post('/authsvc/test', undefined, { headers });

    expect(cookieAsToken.status).toBe(401);
    expect(await disguised.isSignedIn()).toBe(false);
    expect([foreign.status, withCookie.status]).toEqual([403, 403]);
  });
});
