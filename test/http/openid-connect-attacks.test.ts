// Tests the rules of RFC 9700 that SECURITY.md lists and that no other test covers.
import { describe, expect, test } from 'vitest';
import type { NewApplication } from '../../src/applications/add-application.ts';
import { parseEmail } from '../../src/lib/email-address.ts';
import { changeUser } from '../../src/users/change-user.ts';
import type { Client, Reply } from '../support/client.ts';
import { eachDatabase } from '../support/each-database.ts';
import {
  authorize,
  CALLBACK,
  callAs,
  claimsIn,
  follow,
  pathOf,
  personOf,
  type RelyingParty,
  redeem,
  registerRelyingParty,
  requestOf,
  sentTo,
  signInTo,
  userinfo,
} from '../support/relying-party.ts';
import { serve } from '../support/serve.ts';
import { sharedApp } from './support.ts';

const FORM = 'application/x-www-form-urlencoded';
const AFTER = 'https://wiki.example.test/bye';
const EVIL = 'evil.example';
const headerOf = ({ headers }: Reply, name: string): string => String(headers[name] ?? '');

eachDatabase('attacks on OpenID Connect', (database) => {
  const app = sharedApp({ database });
  const register = (fields: Partial<NewApplication> = {}) => registerRelyingParty(app(), fields);
  const registerThird = () => register({ isThirdParty: true });
  const raw = (browser: Client, query: string) => browser.page(`/authsvc/oidc/authorize?${query}`);
  const send = (browser: Client, path: string, fields: Record<string, string>, headers = {}) =>
    browser.request('POST', path, {
      raw: new URLSearchParams(fields).toString(),
      type: FORM,
      headers: { accept: 'text/html', ...headers },
    });
  /**
   * Checks that a reply is an error page that does not help an attacker: it has no redirect and repeats nothing from the
   * request.
   */
  const expectOwnPage = (reply: Reply, what: string) => {
    expect([what, reply.status, headerOf(reply, 'location')]).toEqual([what, 400, '']);
    expect(headerOf(reply, 'content-type')).toMatch(/^text\/html/);
    expect(reply.text).not.toContain(EVIL);
  };

  describe('redirect URIs (RFC 9700 §4.1, §4.11)', () => {
    const variants = [
      'https://wiki.example.test/cb',
      'https://wiki.example.test/cb?keep=1&more=2',
      'https://wiki.example.test/cb?keep=1#fragment',
      'https://wiki.example.test/cb/?keep=1',
      'https://wiki.example.test/CB?keep=1',
      'https://WIKI.example.test/cb?keep=1',
      'https://wiki.example.test:443/cb?keep=1',
      'https://wiki.example.test/x/../cb?keep=1',
      'https://wiki.example.test/%63b?keep=1',
      'http://wiki.example.test/cb?keep=1',
      `https://wiki.example.test@${EVIL}/cb?keep=1`,
      `https://wiki.example.test.${EVIL}/cb?keep=1`,
      `https://${EVIL}\\@wiki.example.test/cb?keep=1`,
      `https://${EVIL}/cb?keep=1`,
      `//${EVIL}/cb?keep=1`,
      ' https://wiki.example.test/cb?keep=1',
      'javascript:alert(1)',
      '',
    ];
    test.each([{}, { prompt: 'none' }, { response_type: 'token' }, { scope: 'nothing' }])(
      'a reply is sent only to a registered URI, with %o',
      async (more) => {
        const rp = await register();
        const { browser } = await personOf(app(), rp);

        for (const redirect_uri of variants)
          expectOwnPage(await authorize(browser, rp, { ...more, redirect_uri }), redirect_uri);
        expectOwnPage(await authorize(browser, rp, { ...more, redirect_uri: undefined }), 'none');
      },
    );

    test('a pushed request with an unregistered URI is refused before the browser comes', async () => {
      const rp = await register();

      const { status, body } = await callAs(
        app().client(),
        rp,
        'par',
        requestOf(rp, { redirect_uri: `https://${EVIL}/` }),
      );

      expect([status, body.request_uri]).toEqual([400, undefined]);
    });

    test('a request with two redirect URIs or two client ids gets a page and no redirect', async () => {
      const rp = await register();
      const { browser } = await personOf(app(), rp);
      const query = new URLSearchParams(requestOf(rp)).toString();

      for (const more of [`redirect_uri=https://${EVIL}/`, `client_id=${rp.key}`])
        expectOwnPage(await raw(browser, `${query}&${more}`), more);
    });

    test('after a sign-out the browser goes only to a registered URI', async () => {
      const rp = await register({ postLogoutRedirectUris: [AFTER] });
      const { browser } = await personOf(app(), rp);
      const { id_token: hint } = await signInTo(app().client(), browser, rp);

      for (const uri of [`https://${EVIL}/`, `${AFTER}/`, `${AFTER}?x=1`, 'https://wiki.example.test/cb?keep=1']) {
        const query = new URLSearchParams({ id_token_hint: String(hint), post_logout_redirect_uri: uri });
        expectOwnPage(await browser.page(`/authsvc/oidc/logout?${query}`), uri);
      }
      expect(await browser.isSignedIn()).toBe(true);
    });
  });

  describe('secrets in URLs (RFC 9700 §4.2, §4.3)', () => {
    test('an access token in a query or a form is not accepted', async () => {
      const rp = await register();
      const { browser } = await personOf(app(), rp);
      const { access_token } = await signInTo(app().client(), browser, rp);
      const inQuery = `/authsvc/oidc/userinfo?access_token=${access_token}`;

      const replies = [
        await app().client().get(inQuery),
        await send(app().client(), '/authsvc/oidc/userinfo', { access_token: String(access_token) }),
      ];

      expect(replies.map(({ status }) => status)).toEqual([401, 401]);
      expect((await userinfo(app().client(), access_token)).status).toBe(200);
    });

    test('a reply contains a code and no token, and no URL is cached or sent on', async () => {
      const rp = await register();
      const { browser } = await personOf(app(), rp);

      const reply = await authorize(browser, rp);

      const { searchParams, hash } = new URL(headerOf(reply, 'location'));
      expect([...searchParams.keys()].sort()).toEqual(['code', 'iss', 'keep', 'state']);
      expect(hash).toBe('');
      expect(headerOf(reply, 'cache-control')).toContain('no-store');
      expect(headerOf(reply, 'referrer-policy')).toMatch(/^(no-referrer|same-origin)$/);
    });
  });

  test('mix-up: each reply names its issuer (RFC 9700 §4.4, RFC 9207)', async () => {
    const [rp, third] = [await register(), await registerThird()];
    const { browser } = await personOf(app(), rp, third);
    const stranger = await personOf(app());
    const issuer = app().services.baseUrl();

    const answers = [
      await authorize(browser, rp),
      await authorize(browser, rp, { response_type: 'token' }),
      await authorize(browser, rp, { prompt: 'none', max_age: '0' }),
      await authorize(stranger.browser, rp, { prompt: 'none' }),
    ];
    const byForm = await authorize(browser, rp, { response_mode: 'form_post' });
    const refused = await follow(stranger.browser, await authorize(stranger.browser, rp));

    expect(answers.map((reply) => sentTo(reply, 'iss'))).toEqual(answers.map(() => issuer));
    expect(answers.map((reply) => sentTo(reply, 'error'))).toEqual([
      '',
      'unsupported_response_type',
      'login_required',
      'access_denied',
    ]);
    expect(byForm.text).toContain(`name="iss" value="${issuer}"`);
    expect(refused.text).toContain(`iss=${encodeURIComponent(issuer)}`);
  });

  describe('pages between a request and its reply (RFC 9700 §4.2, §4.12, §4.16)', () => {
    test('cannot be framed, send no referrer to other sites, and are not cached', async () => {
      const [rp, third] = [await register({ deviceFlow: true }), await registerThird()];
      const { browser } = await personOf(app(), rp, third);
      const stranger = await personOf(app());
      const { body } = await callAs(app().client(), rp, 'device_authorization', { scope: 'openid' });

      const pages = {
        consent: await follow(browser, await authorize(browser, third)),
        refusal: await follow(stranger.browser, await authorize(stranger.browser, rp)),
        form: await authorize(browser, rp, { response_mode: 'form_post' }),
        device: await browser.page(`/authsvc/oidc/device?user_code=${body.user_code}`),
        logout: await follow(browser, await browser.page(`/authsvc/oidc/logout?client_id=${rp.key}`)),
        error: await authorize(browser, rp, { redirect_uri: `https://${EVIL}/` }),
        login: await follow(app().client(), await authorize(app().client(), rp)),
      };

      for (const [name, reply] of Object.entries(pages)) {
        expect([name, headerOf(reply, 'content-type').slice(0, 9)]).toEqual([name, 'text/html']);
        expect([name, headerOf(reply, 'content-security-policy')]).toEqual([
          name,
          expect.stringContaining("frame-ancestors 'none'"),
        ]);
        expect([name, headerOf(reply, 'referrer-policy')]).toEqual([
          name,
          expect.stringMatching(/^(no-referrer|same-origin)$/),
        ]);
        expect([name, headerOf(reply, 'cache-control')]).toEqual([name, expect.stringContaining('no-store')]);
      }
    });

    test('a form with a password or a decision is never sent on, because redirects after it have status 303', async () => {
      const third = await registerThird();
      const { browser } = await personOf(app(), third);
      const waiting = pathOf(await authorize(browser, third));
      const _csrf = await browser.csrf(waiting);

      const decided = await send(browser, waiting, { decision: 'approve', _csrf });
      const answered = await browser.page(pathOf(decided));
      const logout = await send(browser, '/authsvc/oidc/logout', { client_id: third.key });

      expect([decided.status, answered.status, logout.status]).toEqual([303, 303, 303]);
    });
  });

  describe('requests in the name of another person (RFC 9700 §4.7)', () => {
    const waitingAt = async (third: RelyingParty, browser: Client) => pathOf(await authorize(browser, third));

    test('a consent needs its CSRF token, and another site cannot send a consent', async () => {
      const third = await registerThird();
      const { browser } = await personOf(app(), third);
      const waiting = await waitingAt(third, browser);
      const _csrf = await browser.csrf(waiting);
      const approve = { decision: 'approve', _csrf };

      const replies = [
        await send(browser, waiting, { decision: 'approve' }),
        await send(browser, waiting, { ...approve, _csrf: `${_csrf.slice(0, -2)}xx` }),
        await send(browser, waiting, approve, { origin: `https://${EVIL}` }),
        await send(browser, waiting, approve, { 'sec-fetch-site': 'cross-site' }),
      ];
      const silent = await authorize(browser, third, { prompt: 'none' });

      expect(replies.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
      expect(sentTo(silent, 'error')).toBe('consent_required');
    });

    test('a consent is valid only for the person who gave it, even if another person opens the same request', async () => {
      const third = await registerThird();
      const [victim, attacker] = [await personOf(app(), third), await personOf(app(), third)];
      const waiting = await waitingAt(third, victim.browser);
      const _csrf = await attacker.browser.csrf(waiting);

      await send(attacker.browser, waiting, { decision: 'approve', _csrf });
      const asked = await victim.browser.page(`${waiting}?chosen=1`);

      expect(asked.status).toBe(200);
      expect(asked.text).toContain('value="approve"');
    });

    test('a page of another site cannot sign a visitor in as another person', async () => {
      const rp = await register();
      const { user } = await personOf(app(), rp);
      const visitor = app().client();
      const fields = { username: user.username, password: user.password };

      const replies = [
        await send(visitor, '/authsvc/api/login', fields, { origin: `https://${EVIL}` }),
        await visitor.post('/authsvc/api/login', fields, { headers: { 'sec-fetch-site': 'cross-site' } }),
      ];

      expect(replies.map(({ status }) => status)).toEqual([403, 403]);
      expect(visitor.jar.has('session_id')).toBe(false);
    });

    test('a page of another site cannot sign a visitor out without an ID token of that visitor', async () => {
      const rp = await register({ postLogoutRedirectUris: [AFTER] });
      const [victim, other] = [await personOf(app(), rp), await personOf(app(), rp)];
      const { id_token: hint } = await signInTo(app().client(), other.browser, rp);
      const pathFor = (fields: Record<string, string>) => `/authsvc/oidc/logout?${new URLSearchParams(fields)}`;

      const replies = [
        await victim.browser.page(pathFor({})),
        await victim.browser.page(pathFor({ client_id: rp.key, post_logout_redirect_uri: AFTER })),
        await victim.browser.page(pathFor({ id_token_hint: String(hint), post_logout_redirect_uri: AFTER })),
      ];

      for (const reply of replies) expect(pathOf(reply)).toMatch(/^\/authsvc\/logout/);
      expect(await victim.browser.isSignedIn()).toBe(true);
    });

    test('a device can be approved only by its form', async () => {
      const rp = await register({ deviceFlow: true });
      const { browser } = await personOf(app(), rp);
      const { body } = await callAs(app().client(), rp, 'device_authorization', { scope: 'openid' });
      const fields = { user_code: String(body.user_code), decision: 'approve' };
      const _csrf = await browser.csrf(`/authsvc/oidc/device?user_code=${body.user_code}`);

      const replies = [
        await send(browser, '/authsvc/oidc/device', fields),
        await send(browser, '/authsvc/oidc/device', { ...fields, _csrf }, { origin: `https://${EVIL}` }),
      ];
      const poll = await callAs(app().client(), rp, 'token', {
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        device_code: String(body.device_code),
      });

      expect(replies.map(({ status }) => status)).toEqual([403, 403]);
      expect(poll.body.error).toBe('authorization_pending');
    });
  });

  test('a reply comes by query or by form, and in no other way', async () => {
    const rp = await register();
    const { browser } = await personOf(app(), rp);

    const query = await authorize(browser, rp, { response_mode: 'query' });
    const others = [
      await authorize(browser, rp, { response_mode: 'fragment' }),
      await authorize(browser, rp, { response_mode: 'web_message' }),
      await authorize(browser, rp, { response_mode: 'query.jwt' }),
    ];

    expect(sentTo(query, 'code')).not.toBe('');
    for (const reply of others) {
      expect(sentTo(reply, 'error')).toMatch(/^(invalid_request|unsupported_response_mode)$/);
      expect(headerOf(reply, 'location')).not.toMatch(/[?&#]code=/);
    }
  });

  test.each([
    ['a parameter twice', 'state=t', 'invalid_request'],
    ['an unknown parameter twice', 'utm=1&utm=1', 'invalid_request'],
    ['an unknown parameter of a common name twice', 'constructor=1&constructor=2', 'invalid_request'],
    ['a hexadecimal max_age', 'max_age=0x10', 'invalid_request'],
    ['a max_age in exponents', 'max_age=1e3', 'invalid_request'],
    ['a max_age with a sign', 'max_age=%2B5', 'invalid_request'],
    ['a max_age with spaces', 'max_age=%205', 'invalid_request'],
    ['a max_age with a fraction', 'max_age=5.0', 'invalid_request'],
    ['PKCE plain', 'code_challenge_method=plain', 'invalid_request'],
    ['a request object', 'request=eyJhbGciOiJub25lIn0.e30.', 'request_not_supported'],
  ])('a request with %s is refused', async (_what, more, error) => {
    const rp = await register();
    const { browser } = await personOf(app(), rp);

    const reply = await raw(browser, `${new URLSearchParams(requestOf(rp))}&${more}`);

    expect([sentTo(reply, 'error'), sentTo(reply, 'code')]).toEqual([error, '']);
  });

  test('a single unknown parameter is ignored, and a max_age may have leading zeros or be empty', async () => {
    const rp = await register();
    const { browser } = await personOf(app(), rp);

    const replies = [
      await raw(browser, `${new URLSearchParams(requestOf(rp))}&utm=1&max_age=0600`),
      await raw(browser, `${new URLSearchParams(requestOf(rp))}&max_age=`),
    ];

    for (const reply of replies) expect(sentTo(reply, 'code')).not.toBe('');
  });

  test.each(['par', 'token', 'introspect', 'revoke', 'device_authorization'])(
    'a repeated unknown parameter in a request to %s is refused',
    async (endpoint) => {
      const rp = await register({ deviceFlow: true });
      const fields = {
        ...requestOf(rp),
        grant_type: 'authorization_code',
        code: 'x',
        token: 'x',
        client_secret: rp.secret,
      };
      const request = (more: string) =>
        app()
          .client()
          .request('POST', `/authsvc/oidc/${endpoint}`, { raw: `${new URLSearchParams(fields)}${more}`, type: FORM });

      const [once, twice] = [await request('&utm=1'), await request('&utm=1&utm=2')];

      expect([twice.status, twice.body.error]).toEqual([400, 'invalid_request']);
      expect(String(twice.body.error_description)).toContain('utm');
      expect(once.body.error_description ?? '').not.toContain('utm');
    },
  );

  test('a pushed request with a hexadecimal max_age is refused', async () => {
    const rp = await register();

    const { status, body } = await callAs(app().client(), rp, 'par', requestOf(rp, { max_age: '0x10' }));

    expect([status, body.error]).toEqual([400, 'invalid_request']);
  });

  test('a request object at another URL (request_uri) is not fetched, and gets no code', async (t) => {
    const rp = await register();
    const { browser } = await personOf(app(), rp);
    let fetches = 0;
    const address = await serve(t, (_request, reply) => {
      fetches += 1;
      reply.end();
    });

    const reply = await authorize(browser, rp, { request_uri: `${address}/request` });

    expect([fetches, sentTo(reply, 'code')]).toEqual([0, '']);
  });

  test('the parameter claims adds nothing to the claims of the scopes', async () => {
    const rp = await register();
    const { user, browser } = await personOf(app(), rp);
    await changeUser(app().change(), user.username, { email: parseEmail('ada@box.test') });
    const all = { email: null, roles: null, preferred_username: null };

    const claims = JSON.stringify({ id_token: all, userinfo: all });
    const tokens = await signInTo(app().client(), browser, rp, { scope: 'openid', claims });

    for (const given of [claimsIn(tokens.id_token), (await userinfo(app().client(), tokens.access_token)).body])
      for (const name of Object.keys(all)) expect(given).not.toHaveProperty(name);
  });

  test('a code that is put into the reply to another application is worthless there (RFC 9700 §4.5)', async () => {
    const [rp, other] = [await register(), await register()];
    const { browser } = await personOf(app(), rp);
    const code = sentTo(await authorize(browser, rp), 'code');

    const injected = await redeem(app().client(), other, code, { redirect_uri: CALLBACK });
    const [withoutSecret] = [await redeem(app().client(), { ...rp, secret: '' }, code)];

    expect([injected.status, injected.body.error]).toEqual([400, 'invalid_grant']);
    expect([withoutSecret.status, withoutSecret.body.error]).toEqual([401, 'invalid_client']);
  });
});
