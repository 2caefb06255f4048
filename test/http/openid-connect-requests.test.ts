import { describe, expect, test } from 'vitest';
import type { NewApplication } from '../../src/applications/add-application.ts';
import { MINUTE_MS, SECOND_MS } from '../../src/lib/clock.ts';
import { randomHex } from '../../src/lib/random.ts';
import type { Client, Reply } from '../support/client.ts';
import { eachDatabase } from '../support/each-database.ts';
import {
  authorize,
  callAs,
  claimsIn,
  follow,
  pathOf,
  personOf,
  type RelyingParty,
  redeem,
  refresh,
  registerRelyingParty,
  requestOf,
  sentTo,
  signInTo,
  userinfo,
} from '../support/relying-party.ts';
import type { SeededUser } from '../support/start-app.ts';
import { codeOf, type SecondFactorUser, seedSecondFactorUser, sendCode } from '../support/totp.ts';
import { sharedApp } from './support.ts';

const settings = { AUTHSVC_TWO_FA_ENABLE: 'true' };

eachDatabase('the requirements of an authorization request', (database) => {
  const app = sharedApp({ database, settings });
  const register = (fields: Partial<NewApplication> = {}) => registerRelyingParty(app(), fields);

  /** Exchanges the code in a reply, and returns the claims of the ID token. */
  const claimsFor = async (rp: RelyingParty, reply: Reply) => {
    const { status, text, body } = await redeem(app().client(), rp, sentTo(reply, 'code'));
    expect(status, text).toBe(200);
    return claimsIn(body.id_token);
  };
  /** Signs in again by password. `redirect` is where the browser goes afterwards. */
  const confirmPassword = (browser: Client, { username, password }: SeededUser, redirect: string) =>
    browser.post('/authsvc/api/login', { username, password, redirect });

  test.each([[''], ['unknown']])(
    'a request with the scope "%s" is refused before anyone has to sign in',
    async (scope) => {
      const rp = await register();
      const { browser } = await personOf(app(), rp);

      const replies = [
        await authorize(browser, rp, { scope }),
        await authorize(browser, rp, { scope, prompt: 'none' }),
        await authorize(app().client(), rp, { scope }),
      ];

      expect(replies.map((reply) => sentTo(reply, 'error'))).toEqual(replies.map(() => 'invalid_scope'));
      expect(sentTo(await authorize(browser, rp, { scope: `profile ${scope}`.trim() }), 'code')).not.toBe('');
    },
  );

  test('the login page names the application that waits, but only an active one', async () => {
    const rp = await register({ name: 'Garden <Wiki>' });
    const browser = app().client();

    const { text } = await follow(browser, await authorize(browser, rp));
    const other = await browser.page('/authsvc/login?redirect=%2Fauthsvc%2Foidc%2Finteraction%2Fx%3Fclient_id%3Dnone');

    expect(text).toContain('to continue to Garden &lt;Wiki&gt;');
    expect(other.text).toContain('to continue to authsvc');
  });

  describe('the second factor (acr_values)', () => {
    /**
     * Creates a session by password alone. The user has a second factor, but the browser is trusted and may skip it.
     */
    const oneFactorSession = async (rp: RelyingParty) => {
      const user = await seedSecondFactorUser(app(), { apps: ['authsvc', rp.key] });
      const browser = app().client();
      await browser.login(user);
      await sendCode(browser, codeOf(app(), user.secret), { trust_device: 'true' });
      await browser.logout();
      await browser.login(user);
      expect(await browser.isSignedIn()).toBe(true);
      // The current code has been used, so later steps need the next code.
      app().clock.advance(MINUTE_MS);
      return { user, browser };
    };
    const answer = async (browser: Client, { secret }: SecondFactorUser) => {
      const { body } = await sendCode(browser, codeOf(app(), secret));
      return follow(browser, await browser.page(String(body.redirect_url)));
    };

    test('is asked for even if the browser is trusted, and the ID token says so', async () => {
      const rp = await register();
      const { user, browser } = await oneFactorSession(rp);

      const plain = await claimsFor(rp, await authorize(browser, rp));
      const asked = await follow(browser, await authorize(browser, rp, { acr_values: 'aal2 aal1' }));
      const claims = await claimsFor(rp, await answer(browser, user));

      expect([plain.acr, plain.amr]).toEqual(['aal1', ['pwd']]);
      expect(asked.status).toBe(200);
      expect(asked.text).toContain('autocomplete="one-time-code"');
      expect(claims).toMatchObject({ acr: 'aal2', amr: ['pwd', 'otp', 'mfa'] });
    });

    test('cannot be skipped by going back to the request', async () => {
      const rp = await register();
      const { browser } = await oneFactorSession(rp);
      const waiting = await authorize(browser, rp, { acr_values: 'aal2' });

      const replies = [await browser.page(pathOf(waiting)), await browser.page(`${pathOf(waiting)}?chosen=1`)];

      expect(replies.map(pathOf)).toEqual(['/authsvc/2fa', '/authsvc/2fa']);
    });

    test('is not asked for twice, nor if the request prefers aal1, nor if the user has none', async () => {
      const rp = await register();
      const { user, browser } = await oneFactorSession(rp);
      const other = await personOf(app(), rp);

      const first = await claimsFor(rp, await authorize(browser, rp, { acr_values: 'aal1 aal2' }));
      await follow(browser, await authorize(browser, rp, { acr_values: 'aal2' }));
      await answer(browser, user);
      const second = await authorize(browser, rp, { acr_values: 'aal2' });
      const without = await authorize(other.browser, rp, { acr_values: 'aal2' });

      expect(first.acr).toBe('aal1');
      expect((await claimsFor(rp, second)).acr).toBe('aal2');
      expect((await claimsFor(rp, without)).acr).toBe('aal1');
    });

    test('results in login_required if no page may be shown', async () => {
      const rp = await register();
      const { browser } = await oneFactorSession(rp);

      const reply = await authorize(browser, rp, { acr_values: 'aal2', prompt: 'none' });

      expect([sentTo(reply, 'error'), sentTo(reply, 'code')]).toEqual(['login_required', '']);
    });

    test('is asked for after the password if both are requested, each once', async () => {
      const rp = await register();
      const { user, browser } = await oneFactorSession(rp);

      const login = await browser.page(pathOf(await authorize(browser, rp, { acr_values: 'aal2', prompt: 'login' })));
      const back = sentTo(login, 'redirect');
      await confirmPassword(browser, user, back);
      const step = await browser.page(back);
      const claims = await claimsFor(rp, await answer(browser, user));

      expect(pathOf(login)).toMatch(/^\/authsvc\/login\?/);
      expect(pathOf(step)).toBe('/authsvc/2fa');
      expect(claims.acr).toBe('aal2');
    });
  });

  describe('a new sign-in (prompt=login, max_age)', () => {
    test.each([{ prompt: 'login' }, { max_age: '0' }, { max_age: '30' }])('is required by %o', async (asked) => {
      const rp = await register();
      const { user, browser } = await personOf(app(), rp);
      const before = await claimsFor(rp, await authorize(browser, rp));
      app().clock.advance(40 * SECOND_MS);

      const waiting = pathOf(await authorize(browser, rp, asked));
      const [login, again] = [await browser.page(waiting), await browser.page(`${waiting}?chosen=1`)];
      await confirmPassword(browser, user, waiting);
      const claims = await claimsFor(rp, await browser.page(waiting));

      for (const reply of [login, again]) expect(pathOf(reply)).toMatch(/^\/authsvc\/login\?.*again=1/);
      expect(Number(claims.auth_time) - Number(before.auth_time)).toBeGreaterThanOrEqual(40);
    });

    test('is not needed within max_age; after that the reply is login_required if no page may be shown', async () => {
      const rp = await register();
      const { browser } = await personOf(app(), rp);
      app().clock.advance(40 * SECOND_MS);

      const [young, old] = [
        await authorize(browser, rp, { max_age: '100', prompt: 'none' }),
        await authorize(browser, rp, { max_age: '39', prompt: 'none' }),
      ];

      expect(sentTo(young, 'code')).not.toBe('');
      expect(sentTo(old, 'error')).toBe('login_required');
    });

    test('by another person than before continues with that person', async () => {
      const rp = await register();
      const { browser } = await personOf(app(), rp);
      const other = await personOf(app(), rp);

      const waiting = pathOf(await authorize(browser, rp, { prompt: 'login' }));
      await confirmPassword(browser, other.user, waiting);
      const claims = await claimsFor(rp, await browser.page(waiting));

      expect(claims.sub).toBe(other.user.sub);
    });

    test.each([{ max_age: '-1' }, { max_age: 'soon' }, { prompt: 'none login' }, { prompt: 'create' }])(
      'a request with %o gets the error invalid_request',
      async (asked) => {
        const rp = await register();
        const { browser } = await personOf(app(), rp);

        const reply = await authorize(browser, rp, asked);

        expect([sentTo(reply, 'error'), sentTo(reply, 'code')]).toEqual(['invalid_request', '']);
      },
    );
  });

  describe('the account (prompt=select_account, id_token_hint)', () => {
    test('is chosen on the page of accounts, and then the request continues', async () => {
      const rp = await register();
      const { user, browser } = await personOf(app(), rp);

      const accounts = await browser.page(pathOf(await authorize(browser, rp, { prompt: 'select_account' })));
      const claims = await claimsFor(rp, await browser.page(sentTo(accounts, 'redirect')));

      expect(pathOf(accounts)).toMatch(/^\/authsvc\/accounts\?/);
      expect(claims.sub).toBe(user.sub);
    });

    test('of the hint is used at once if it is signed in; otherwise the person chooses, or the reply is login_required if no page may be shown', async () => {
      const rp = await register();
      const [one, two] = [await personOf(app(), rp), await personOf(app(), rp)];
      const { id_token: hint } = await signInTo(app().client(), one.browser, rp);
      const hinted = { id_token_hint: String(hint) };

      const same = await authorize(one.browser, rp, { ...hinted, prompt: 'none' });
      const choice = await two.browser.page(pathOf(await authorize(two.browser, rp, hinted)));
      const silent = await authorize(two.browser, rp, { ...hinted, prompt: 'none' });

      expect(sentTo(same, 'code')).not.toBe('');
      expect(pathOf(choice)).toMatch(/^\/authsvc\/accounts\?/);
      expect(sentTo(silent, 'error')).toBe('login_required');
    });
  });

  describe('an API (resource)', () => {
    const ask = (rp: RelyingParty, token: unknown) =>
      callAs(app().client(), rp, 'introspect', { token: String(token) });
    const setUp = async () => {
      const api = `https://api-${randomHex(4)}.example.test`;
      const other = `https://api-${randomHex(4)}.example.test`;
      const [rp, owner] = [await register(), await register({ urls: [`${api}/v1`], redirectUris: [] })];
      await register({ urls: [other], redirectUris: [] });
      return { rp, api, owner, other, ...(await personOf(app(), rp)) };
    };

    test('gets tokens that work there, but not at userinfo', async () => {
      const { rp, api, owner, user, browser } = await setUp();

      const tokens = await signInTo(app().client(), browser, rp, { resource: api });
      const next = await refresh(app().client(), rp, tokens.refresh_token, { resource: api });

      for (const { access_token: token } of [tokens, next.body]) {
        const facts = { active: true, aud: api, sub: user.sub, client_id: rp.key, username: user.username };
        expect((await ask(owner, token)).body).toMatchObject(facts);
        expect((await ask(rp, token)).body).toMatchObject(facts);
        expect((await ask(await register(), token)).body).toEqual({ active: false });
        expect((await userinfo(app().client(), token)).status).toBe(401);
      }
    });

    test('can be named by a program that acts for itself', async () => {
      const { rp, api, owner } = await setUp();

      const { body } = await callAs(app().client(), rp, 'token', { grant_type: 'client_credentials', resource: api });

      expect((await ask(owner, body.access_token)).body).toMatchObject({ active: true, aud: api, client_id: rp.key });
    });

    test('that no application has, or a second API, is refused with invalid_target', async () => {
      const { rp, api, other, browser } = await setUp();
      const wrong = ['https://nowhere.example.test', `${api}/v1`, `${api}#f`, 'nonsense', `${api}:8443`];

      for (const resource of wrong)
        expect([resource, sentTo(await authorize(browser, rp, { resource }), 'error')]).toEqual([
          resource,
          'invalid_target',
        ]);
      const path = `/authsvc/oidc/authorize?${new URLSearchParams(requestOf(rp, { resource: api }))}&resource=${other}`;
      expect(sentTo(await browser.page(path), 'error')).toBe('invalid_target');
    });

    test('cannot be changed when the code or the refresh token is redeemed', async () => {
      const { rp, api, other, browser } = await setUp();
      const code = async () => sentTo(await authorize(browser, rp, { resource: api }), 'code');
      const { body } = await redeem(app().client(), rp, await code());

      const replies = [
        await redeem(app().client(), rp, await code(), { resource: other }),
        await refresh(app().client(), rp, body.refresh_token, { resource: other }),
      ];

      expect(replies.map(({ status, body: { error } }) => [status, error])).toEqual([
        [400, 'invalid_target'],
        [400, 'invalid_target'],
      ]);
    });
  });
});
