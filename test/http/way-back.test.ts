import { describe, expect, test } from 'vitest';
import { addApplication } from '../../src/applications/add-application.ts';
import { changeApplication } from '../../src/applications/change-application.ts';
import { createToken } from '../support/device-login.ts';
import type { SeededUser, TestApp } from '../support/start-app.ts';
import { codeOf, seedSecondFactorUser, sendCode } from '../support/totp.ts';
import { sharedSocialWorld, start } from './social-support.ts';
import { expectError } from './support.ts';

const PORTAL = 'https://portal.example.test';
const GOOD = `${PORTAL}/a%2Fb?q=a+b&q=c&next=https%3A%2F%2Fevil.example%2F%3Fa%3D1#part?x=1`;
const FOREIGN = 'https://portal.example.test.evil.example/';

let keys = 0;
async function register(app: TestApp, url: string, fields: { isThirdParty?: boolean; roles?: string[] } = {}) {
  keys += 1;
  const { settings } = app.services;
  const named = { key: `app-${keys}`, name: `App ${keys}`, urls: [url], ...fields };
  const { application } = await addApplication(app.change(), settings, named);
  const set = (isActive: boolean) => changeApplication(app.change(), settings, application.key, { isActive });
  return { ...application, set };
}

const login = (app: TestApp, { username, password }: SeededUser, redirect: unknown) =>
  app.client().post('/authsvc/api/login', { username, password, redirect });

const corsOf = (headers: object) => Object.keys(headers).filter((name) => name.startsWith('access-control-'));

describe('the way back to an application', () => {
  const world = sharedSocialWorld('sqlite', { AUTHSVC_TWO_FA_ENABLE: 'true' });
  const app = () => world().app;
  const register1 = () => register(app(), `${PORTAL}/start`);

  test('a sign-in returns the destination unchanged if it belongs to an active application, and never another host', async () => {
    const portal = await register1();
    const user = await app().seedUser();
    const where = async (redirect: unknown) => (await login(app(), user, redirect)).body.redirect_url;

    expect(await where(GOOD)).toBe(GOOD);
    expect(await where(GOOD.replace(PORTAL, 'HTTPS://PORTAL.example.test:443'))).toBe(GOOD);
    expect([await where(FOREIGN), await where([GOOD]), await where(undefined)]).toEqual(['/home', '/home', '/home']);
    await portal.set(false);
    expect(await where(GOOD)).toBe('/home');
  });

  test('the login page names the application of the destination, unless several share its origin', async () => {
    const url = 'https://wiki.example.test';
    const [ledeHere, ledeThere] = ['to continue to authsvc', 'to continue to App '];
    const page = async (redirect: string) =>
      (
        await app()
          .client()
          .page(`/authsvc/login?redirect=${encodeURIComponent(redirect)}`)
      ).text;
    const wiki = await register(app(), url);

    expect(await page(`${url}/a?b=1`)).toContain(`to continue to ${wiki.name}<`);
    expect(await page(FOREIGN)).toContain(ledeHere);
    await register(app(), `${url}/other`);
    expect(await page(`${url}/a?b=1`)).not.toContain(ledeThere);
  });

  test('sign-in pages are no destinations, even under the whole URL of the service', async () => {
    const own = await register(app(), app().services.baseUrl());
    const user = await app().seedUser();

    for (const path of ['/authsvc/login?redirect=/x', '/login', '/authsvc/./2fa'])
      expect((await login(app(), user, app().services.baseUrl() + path)).body.redirect_url).toBe('/home');
    expect((await login(app(), user, `${app().services.baseUrl()}/reports`)).body.redirect_url).toMatch(/\/reports$/);
    await own.set(false);
  });

  test('an application that is disabled during a sign-in is no destination, also after a second step or a sign-in at a provider', async () => {
    const { codehost, linkedUser } = world();
    const user = await seedSecondFactorUser(app());
    await linkedUser('codehost', '4711');
    for (const isDisabled of [false, true]) {
      const portal = await register1();
      const [second, social] = [app().client(), app().client()];
      const { username, password } = user;
      await second.post('/authsvc/api/login', { username, password, redirect: GOOD });
      const agreed = codehost.agree(await start(social, 'codehost', `?redirect=${encodeURIComponent(GOOD)}`));
      if (isDisabled) await portal.set(false);

      const expected = isDisabled ? '/home' : GOOD;
      expect((await social.page(agreed)).headers.location).toBe(expected);
      const page = await second.page('/authsvc/2fa');
      expect(page.text.includes('portal.example.test')).toBe(!isDisabled);
      const code = isDisabled ? (user.recoveryCodes[0] ?? '') : codeOf(app(), user.secret);
      expect((await sendCode(second, code)).body.redirect_url).toBe(expected);
      await portal.set(false);
    }
  });

  test('a URL of 2,048 characters is kept through a sign-in at a provider', async () => {
    const portal = await register1();
    await world().linkedUser('codehost', '815');
    world().codehost.user = { id: 815 };
    const url = `${PORTAL}/?x=${'y'.repeat(2048 - PORTAL.length - 4)}`;
    const client = app().client();

    const agreed = world().codehost.agree(await start(client, 'codehost', `?redirect=${encodeURIComponent(url)}`));

    expect((await client.page(agreed)).headers.location).toBe(url);
    await portal.set(false);
  });

  test('the sign-out page lets its form redirect to the application, and lets the browser send its origin', async () => {
    const portal = await register1();
    const client = await app().signIn(await app().seedUser());
    const page = (redirect: string) => client.page(`/authsvc/logout?redirect=${encodeURIComponent(redirect)}`);

    const { headers } = await page(GOOD);
    expect(headers['content-security-policy']).toContain(`form-action 'self' ${PORTAL};`);
    expect(headers['referrer-policy']).toBe('same-origin');
    expect((await page('/reports')).headers['content-security-policy']).toContain("form-action 'self';");
    expect((await page(FOREIGN)).text).not.toContain('evil.example');
    const form = { raw: 'accounts=all', type: 'application/x-www-form-urlencoded', headers: { accept: 'text/html' } };
    const refused = await client.request('POST', '/authsvc/logout', form);
    expect([refused.status, await client.isSignedIn()]).toEqual([403, true]);
    const _csrf = await client.csrf('/authsvc/logout');
    const raw = String(new URLSearchParams({ _csrf, redirect: GOOD }));
    const done = await client.request('POST', '/authsvc/logout', { ...form, raw });
    expect([done.status, done.headers.location, await client.isSignedIn()]).toEqual([303, GOOD, false]);
    await portal.set(false);
  });

  test('the route /authsvc/api/me accepts a token and says whether it may be used for the application; an unknown token is refused', async () => {
    const portal = await register1();
    const user = await app().seedUser({ apps: ['authsvc', portal.key] });
    const browser = await app().signIn(user);
    const me = (token: string) => {
      const headers = { authorization: `Bearer ${token}` };
      return app().client().get(`/authsvc/api/me?app=${portal.key}`, { headers });
    };
    const [all, own, other] = [
      await createToken(browser),
      await createToken(browser, { allowed_apps: [portal.key], scope: 'write' }),
      await createToken(browser, { allowed_apps: ['authsvc'] }),
    ];

    expect((await me(all.token)).body).toMatchObject({ may_use: true, visitor: { via: 'token', scope: 'read-only' } });
    expect((await me(own.token)).body).toMatchObject({ may_use: true, visitor: { scope: 'write', user_id: user.id } });
    expect((await me(other.token)).body.may_use).toBe(false);
    expectError(await me(`tok_${'0'.repeat(64)}`), 'TOKEN_INVALID');
    await portal.set(false);
  });

  test('a script of an application can read who is signed in, and errors; one of a third party can read nothing', async () => {
    const portal = await register1();
    const partner = await register(app(), 'https://partner.example.test', { isThirdParty: true });
    const client = await app().signIn(await app().seedUser({ apps: ['authsvc', portal.key] }));
    const read = (path: string, origin: string, method = 'GET') =>
      client.request(method, path, { headers: { origin } });

    const own = await read('/authsvc/api/me', PORTAL);
    expect([own.body.may_use, own.headers['access-control-allow-origin']]).toEqual([true, PORTAL]);
    const error = await read('/authsvc/api/me?app=nothing', PORTAL);
    expect([error.status, error.headers['access-control-allow-origin']]).toEqual([403, PORTAL]);
    for (const [path, origin, method] of [
      ['/authsvc/api/me', 'https://partner.example.test', 'GET'],
      ['/authsvc/api/me', 'https://partner.example.test', 'OPTIONS'],
      ['/authsvc/api/me', 'null', 'GET'],
      ['/authsvc/api/me', `${PORTAL}.`, 'GET'],
      ['/authsvc/api/checkSession', PORTAL, 'POST'],
      ['/authsvc/api/apps', PORTAL, 'GET'],
    ] as const) {
      const reply = await read(path, origin, method);
      expect([path, origin, method, corsOf(reply.headers)]).toEqual([path, origin, method, []]);
    }
    expect((await read('/authsvc/api/me', 'null')).headers.vary).toBe('Origin');
    await partner.set(false);
    await portal.set(false);
  });
});
