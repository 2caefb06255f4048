import { afterEach, describe, expect, test, vi } from 'vitest';
import type { NewApplication } from '../../src/applications/add-application.ts';
import { removeApplication } from '../../src/applications/remove-application.ts';
import { DAY_MS, HOUR_MS } from '../../src/lib/clock.ts';
import { parseEmail } from '../../src/lib/email-address.ts';
import { deleteRetiredKeys } from '../../src/oidc/key-queries.ts';
import { rotateKeys } from '../../src/oidc/keys.ts';
import { withdrawGrant } from '../../src/oidc/withdraw-grant.ts';
import { endUserSessions } from '../../src/sessions/end-sessions.ts';
import { changeUser } from '../../src/users/change-user.ts';
import { removeUser } from '../../src/users/remove-user.ts';
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
  registerRelyingParty,
  requestOf,
  sentTo,
  signInTo,
  userinfo,
} from '../support/relying-party.ts';
import { type SeededUser, startApp } from '../support/start-app.ts';
import { loseSessions, sharedApp } from './support.ts';

/** Moves the clock of this process forward. The OpenID Connect library uses the same clock. */
const advance = (ms: number): void => void vi.setSystemTime(Date.now() + ms);
afterEach(() => void vi.useRealTimers());

const FORM = 'application/x-www-form-urlencoded';
const AFTER = 'https://wiki.example.test/bye?keep=1';

eachDatabase('people and applications of OpenID Connect', (database) => {
  const app = sharedApp({ database });
  const register = (fields: Partial<NewApplication> = {}) => registerRelyingParty(app(), fields);
  const program = () => app().client();

  describe('a sign-in', () => {
    test('of a browser that is signed in is a single redirect that sets no cookie', async () => {
      const rp = await register();
      const { browser } = await personOf(app(), rp);

      const reply = await authorize(browser, rp);

      expect([reply.status, sentTo(reply, 'state')]).toEqual([303, 's']);
      expect(sentTo(reply, 'code')).not.toBe('');
      expect(reply.cookies).toEqual([]);
    });

    test('shows the login page with the name of the application, in each of several tabs', async () => {
      const rp = await register();
      const { user } = await personOf(app(), rp);
      const browser = app().client();

      const [one, two] = [
        await authorize(browser, rp, { login_hint: user.username, state: 'one' }),
        await authorize(browser, rp, { state: 'two' }),
      ];
      const page = await follow(browser, one);
      const waits = [one, two].map((reply) =>
        pathOf(reply).startsWith('/authsvc/login') ? sentTo(reply, 'redirect') : pathOf(reply),
      );
      const silent = await authorize(browser, rp, { prompt: 'none' });
      await browser.login(user);
      const codes = await Promise.all(waits.map(async (path) => follow(browser, await browser.page(path))));

      for (const reply of [one, two]) expect([302, 303]).toContain(reply.status);
      expect(page.text).toContain(`value="${user.username}"`);
      expect(sentTo(silent, 'error')).toBe('login_required');
      expect(codes.map((reply) => sentTo(reply, 'state'))).toEqual(['one', 'two']);
      for (const reply of codes) expect((await redeem(program(), rp, sentTo(reply, 'code'))).status).toBe(200);
    });

    test('of a session that ends in the meantime shows the login page, and the request continues after the next sign-in', async (t) => {
      const own = await startApp(t, { database });
      const rp = await registerRelyingParty(own);
      const { user, browser } = await personOf(own, rp);
      const ask = (more: Record<string, string>) => authorize(browser, rp, more);
      const { body } = await callAs(own.client(), rp, 'par', requestOf(rp, { state: 'pushed' }));
      const query = new URLSearchParams({ client_id: rp.key, request_uri: String(body.request_uri) });
      const pushed = `/authsvc/oidc/authorize?${query}`;
      const chosen = `${pathOf(await ask({ prompt: 'select_account', state: 'waited' }))}?chosen=1`;

      const findSessions = await loseSessions(own);
      const replies = [await ask({ state: 'asked' }), await browser.page(pushed), await browser.page(chosen)];
      const silent = await ask({ prompt: 'none' });
      await findSessions();
      await endUserSessions(own.change(), user, 'command');
      const waits = replies.map((reply) => sentTo(reply, 'redirect') || pathOf(reply));
      const pages = await Promise.all(waits.map((path) => browser.page(path)));
      await browser.login(user);
      const codes = await Promise.all(waits.map(async (path) => follow(browser, await browser.page(path))));

      expect(sentTo(silent, 'error')).toBe('login_required');
      for (const reply of pages) expect(pathOf(reply)).toMatch(/^\/authsvc\/login\?redirect=/);
      expect(codes.map((reply) => sentTo(reply, 'state'))).toEqual(['asked', 'pushed', 'waited']);
      for (const reply of codes) expect((await redeem(own.client(), rp, sentTo(reply, 'code'))).status).toBe(200);
      for (const path of waits) expect((await browser.page(path)).status).toBe(400);
      expect((await browser.page(pushed)).status).toBe(400);
    });

    test('of a person who may not use the application ends on a page with a link back, and with access_denied', async () => {
      const rp = await register();
      const { user, browser } = await personOf(app());

      const page = await follow(browser, await authorize(browser, rp));
      const silent = await authorize(browser, rp, { prompt: 'none' });

      expect(page.status).toBe(403);
      for (const part of [user.username, 'error=access_denied', '/authsvc/accounts']) expect(page.text).toContain(part);
      expect(sentTo(silent, 'error')).toBe('access_denied');
    });

    test('to an unknown application ends on a page without a link', async () => {
      const rp = await register();
      const { browser } = await personOf(app(), rp);

      const reply = await authorize(browser, { key: 'nobody', secret: '' }, { redirect_uri: 'https://evil.test/' });

      expect([reply.status, reply.headers.location]).toEqual([400, undefined]);
      expect(reply.text).not.toContain('evil.test');
    });

    test('requires PKCE, and ignores unknown scopes', async () => {
      const rp = await register();
      const { browser } = await personOf(app(), rp);

      const bare = await authorize(browser, rp, { code_challenge: undefined, code_challenge_method: undefined });
      const tokens = await signInTo(program(), browser, rp, { scope: 'openid roles nothing' });

      expect([sentTo(bare, 'error'), sentTo(bare, 'state')]).toEqual(['invalid_request', 's']);
      expect(tokens.scope).toBe('openid roles');
    });
  });

  test('returns claims by scope, in the ID token and at userinfo alike', async () => {
    const rp = await register();
    const { user, browser } = await personOf(app(), rp);
    await changeUser(app().change(), user.username, { email: parseEmail('ada@box.test'), image: '/ada.png' });
    const names = {
      openid: [],
      profile: ['name', 'preferred_username', 'picture', 'updated_at'],
      email: ['email', 'email_verified'],
      roles: ['roles'],
      apps: ['apps'],
    };
    const all = Object.values(names).flat();

    for (const [scope, expected] of Object.entries(names)) {
      const tokens = await signInTo(program(), browser, rp, { scope: `openid ${scope}` });
      const [claims, { body: info }] = [claimsIn(tokens.id_token), await userinfo(program(), tokens.access_token)];
      const pick = (from: object) => Object.fromEntries(Object.entries(from).filter(([name]) => all.includes(name)));
      expect([scope, Object.keys(pick(claims)).sort()]).toEqual([scope, [...expected].sort()]);
      expect([scope, pick(info)]).toEqual([scope, pick(claims)]);
      expect(info.sub).toBe(user.sub);
    }
    const { id_token: token } = await signInTo(program(), browser, rp, { scope: 'openid profile email roles apps' });
    expect(claimsIn(token)).toMatchObject({
      picture: new URL('/ada.png', app().services.baseUrl()).href,
      email: 'ada@box.test',
      email_verified: true,
      roles: ['normaluser'],
      apps: expect.arrayContaining([rp.key]),
    });
  });

  test('returns no picture that a browser may not open', async () => {
    const rp = await register();
    const { user, browser } = await personOf(app(), rp);

    for (const image of ['javascript:alert(1)', 'data:image/svg+xml,<svg/>', 'blob:https://wiki.test/1', 'http://']) {
      await changeUser(app().change(), user.username, { image });
      const tokens = await signInTo(program(), browser, rp, { scope: 'openid profile' });
      expect([image, claimsIn(tokens.id_token).picture]).toEqual([image, undefined]);
      expect((await userinfo(program(), tokens.access_token)).body.picture).toBeUndefined();
    }
  });

  describe('the consent', () => {
    const decide = async (browser: Client, waiting: string, decision: string): Promise<Reply> => {
      const raw = new URLSearchParams({ decision, _csrf: await browser.csrf(waiting) }).toString();
      return follow(
        browser,
        await browser.request('POST', waiting, { raw, type: FORM, headers: { accept: 'text/html' } }),
      );
    };
    const ask = async (browser: Client, rp: RelyingParty, more: Record<string, string> = {}) =>
      authorize(browser, rp, more);

    test('is asked for once per person, application and scope, and again after it was withdrawn', async () => {
      const rp = await register({ isThirdParty: true, name: 'Foreign Wiki' });
      const { user, browser } = await personOf(app(), rp);
      const first = await ask(browser, rp);
      const page = await browser.page(pathOf(first));
      const given = await decide(browser, pathOf(first), 'approve');

      const again = await ask(browser, rp);
      const more = await ask(browser, rp, { scope: 'openid profile roles', prompt: 'none' });
      const asked = await ask(browser, rp, { prompt: 'consent' });
      const { services } = app();
      const { body } = await browser.get('/authsvc/api/account/grants');
      const grants: unknown = body.grants;
      const [grant] = Array.isArray(grants) ? grants : [];
      await withdrawGrant({ ...services, actor: app().change().actor }, String(grant?.ref), user.id);
      const after = await ask(browser, rp, { prompt: 'none' });

      expect(page.status).toBe(200);
      for (const part of ['Foreign Wiki', 'wiki.example.test']) expect(page.text).toContain(part);
      expect(sentTo(given, 'code')).not.toBe('');
      expect(sentTo(again, 'code')).not.toBe('');
      expect(sentTo(more, 'error')).toBe('consent_required');
      expect((await browser.page(pathOf(asked))).text).toContain('value="approve"');
      expect(sentTo(after, 'error')).toBe('consent_required');
    });

    test.each([
      ['the application', ({ key }: RelyingParty) => removeApplication(app().change(), key)],
      ['the user', (_rp: RelyingParty, user: SeededUser) => removeUser(app().change(), user)],
    ])('ends with %s', async (_what, remove) => {
      const rp = await register({ isThirdParty: true });
      const { user, browser } = await personOf(app(), rp);
      await decide(browser, pathOf(await ask(browser, rp)), 'approve');
      const kept = () =>
        app()
          .services.database.kysely.selectFrom('oidc_grants')
          .select('kind')
          .where('user_id', '=', user.id)
          .where('kind', '=', 'consent')
          .execute();
      expect(await kept()).toHaveLength(1);

      await remove(rp, user);

      expect(await kept()).toEqual([]);
    });

    test('gives a third-party application offline access only with prompt=consent', async () => {
      const rp = await register({ isThirdParty: true });
      const { browser } = await personOf(app(), rp);
      const offline = { scope: 'openid offline_access' };
      const scopeOf = async (answer: Reply) => (await redeem(program(), rp, sentTo(answer, 'code'))).body.scope;

      const first = await decide(browser, pathOf(await ask(browser, rp, offline)), 'approve');
      const own = await ask(browser, rp, { ...offline, authsvc_offline: '1' });
      const asked = await decide(browser, pathOf(await ask(browser, rp, { ...offline, prompt: 'consent' })), 'approve');

      expect(await Promise.all([first, own, asked].map(scopeOf))).toEqual(['openid', 'openid', offline.scope]);
    });

    test('is reported as access_denied if it is denied, and is not needed for a first-party application', async () => {
      const [rp, own] = [await register({ isThirdParty: true }), await register()];
      const { browser } = await personOf(app(), rp, own);

      const denied = await decide(browser, pathOf(await ask(browser, rp)), 'deny');

      expect([sentTo(denied, 'error'), sentTo(denied, 'state'), sentTo(denied, 'code')]).toEqual([
        'access_denied',
        's',
        '',
      ]);
      expect(sentTo(await ask(browser, own, { prompt: 'consent' }), 'code')).not.toBe('');
    });
  });

  describe('a sign-out by an application', () => {
    const setUp = async () => {
      const rp = await register({ postLogoutRedirectUris: [AFTER] });
      const { user, browser } = await personOf(app(), rp);
      const { id_token: hint } = await signInTo(program(), browser, rp);
      return { rp, user, browser, hint: String(hint) };
    };
    const logout = (browser: Client, fields: Record<string, string>) =>
      browser.page(`/authsvc/oidc/logout?${new URLSearchParams(fields)}`);

    test('with a hint for the current account ends its session without a question, and no other', async () => {
      const { rp, browser, hint } = await setUp();
      const other = await app().seedUser();
      const { current_session_id: own } = (await browser.get('/authsvc/api/account-sessions')).body;
      await browser.login(other);
      await browser.post('/authsvc/api/switch-session', { session_id: own });
      advance(2 * HOUR_MS);

      const reply = await logout(browser, { id_token_hint: hint, post_logout_redirect_uri: AFTER, state: 'x y' });
      const { body } = await browser.get('/authsvc/api/account-sessions');

      expect([reply.status, reply.headers.location]).toEqual([303, `${AFTER}&state=x+y`]);
      expect(await browser.isSignedIn()).toBe(false);
      expect(JSON.stringify(body)).toContain(other.username);
      const straight = await logout(browser, { client_id: rp.key, post_logout_redirect_uri: AFTER });
      expect(straight.headers.location).toBe(AFTER);
    });

    test('with a hint whose key was replaced days ago ends the session, unless the key was withdrawn at once', async () => {
      const { database, dataSealer, clock } = app().services;
      const { browser, hint } = await setUp();
      const rotate = (keepOld: boolean) => rotateKeys({ ...app().change(), dataSealer }, keepOld);
      await rotate(true);
      advance(DAY_MS);
      await deleteRetiredKeys.run(database, { now: clock.now(), most: 100 });

      const kept = await logout(browser, { id_token_hint: hint });
      const wasEnded = !(await browser.isSignedIn());
      const other = await setUp();
      await rotate(false);
      const withdrawn = await logout(other.browser, { id_token_hint: other.hint });

      expect([kept.status, wasEnded]).toEqual([303, true]);
      expect([withdrawn.status, await other.browser.isSignedIn()]).toEqual([400, true]);
    });

    test('that is sent by a form is repeated as a GET with the same fields', async () => {
      const { browser, hint } = await setUp();
      const fields = { id_token_hint: hint, post_logout_redirect_uri: AFTER, state: 's&1' };

      const reply = await app()
        .client()
        .request('POST', '/authsvc/oidc/logout', {
          raw: new URLSearchParams(fields).toString(),
          type: FORM,
          headers: { origin: 'https://wiki.example.test', 'sec-fetch-site': 'cross-site', accept: 'text/html' },
        });

      const { pathname, searchParams } = new URL(reply.headers.location ?? '', 'http://here.test');
      expect([reply.status, pathname, Object.fromEntries(searchParams)]).toEqual([303, '/authsvc/oidc/logout', fields]);
      expect((await browser.page(pathOf(reply))).headers.location).toBe(`${AFTER}&state=s%261`);
    });

    test('with a forged hint, or a hint of another application, ends nothing', async () => {
      const { rp, browser, hint } = await setUp();
      const other = await register({ postLogoutRedirectUris: [AFTER] });
      const [head, body, signature = ''] = hint.split('.');
      const forged = [
        `${head}.${body}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
        `${Buffer.from('{"alg":"none"}').toString('base64url')}.${body}.`,
        'nothing',
      ];

      const replies = [
        ...(await Promise.all(forged.map((token) => logout(browser, { id_token_hint: token })))),
        await logout(browser, { id_token_hint: hint, client_id: other.key }),
        await logout(browser, { client_id: 'nobody' }),
        await logout(browser, { client_id: rp.key, post_logout_redirect_uri: 'https://evil.test/' }),
        await logout(browser, { post_logout_redirect_uri: AFTER }),
      ];

      expect(replies.map(({ status, headers }) => [status, headers.location])).toEqual(
        replies.map(() => [400, undefined]),
      );
      for (const { text } of replies) expect(text).not.toContain('evil.test');
      expect(await browser.isSignedIn()).toBe(true);
    });
  });
});
