import { afterEach, describe, expect, test, vi } from 'vitest';
import type { NewApplication } from '../../src/applications/add-application.ts';
import { changeApplication } from '../../src/applications/change-application.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../src/lib/clock.ts';
import { changeUser } from '../../src/users/change-user.ts';
import type { Client } from '../support/client.ts';
import { eachDatabase } from '../support/each-database.ts';
import {
  authorize,
  callAs,
  claimsIn,
  outcomeOf,
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
import { sharedApp } from './support.ts';

const NO_CHALLENGE = { code_challenge: undefined, code_challenge_method: undefined };
const INVALID_GRANT = [400, 'invalid_grant'];

/** Moves the clock of this process forward. The OpenID Connect library uses the same clock. */
const advance = (ms: number): void => void vi.setSystemTime(Date.now() + ms);
afterEach(() => void vi.useRealTimers());

eachDatabase('tokens of OpenID Connect', (database) => {
  const app = sharedApp({ database, settings: { COOKIE_EXPIRE_TIME: '400' } });
  const register = (fields: Partial<NewApplication> = {}) => registerRelyingParty(app(), fields);
  const program = () => app().client();
  const signIn = async (rp: RelyingParty, more: Record<string, string> = {}) => {
    const { user, browser } = await personOf(app(), rp);
    return { user, browser, tokens: await signInTo(program(), browser, rp, more) };
  };
  const codeFor = async (rp: RelyingParty, more: Record<string, string | undefined> = {}) =>
    sentTo(await authorize((await personOf(app(), rp)).browser, rp, more), 'code');
  const introspect = async (rp: RelyingParty, token: unknown) =>
    (await callAs(program(), rp, 'introspect', { token: String(token) })).body;

  describe('a refresh', () => {
    test('with fewer scopes gives tokens with only these; the next refresh token keeps all (RFC 6749 §6)', async () => {
      const rp = await register();
      const { user, tokens } = await signIn(rp, { scope: 'openid profile roles' });

      const less = await refresh(program(), rp, tokens.refresh_token, { scope: 'openid roles' });
      const next = await refresh(program(), rp, less.body.refresh_token);

      const whole = { sub: user.sub, roles: ['normaluser'], preferred_username: user.username };
      const { preferred_username: _name, ...part } = whole;
      expect(less.body.scope).toBe('openid roles');
      expect((await userinfo(program(), less.body.access_token)).body).toEqual(part);
      expect(claimsIn(less.body.id_token)).toMatchObject(part);
      expect(claimsIn(less.body.id_token)).not.toHaveProperty('preferred_username');
      expect((await userinfo(program(), next.body.access_token)).body).toMatchObject(whole);
    });

    test('with a scope that was not granted is refused, and the refresh token still works afterwards', async () => {
      const rp = await register({ isPublic: true });
      const { tokens } = await signIn(rp, { scope: 'openid' });

      const more = await refresh(program(), rp, tokens.refresh_token, { scope: 'openid roles' });
      const usual = await refresh(program(), rp, tokens.refresh_token);

      expect(outcomeOf(more)).toEqual([400, 'invalid_scope']);
      expect(usual.status).toBe(200);
    });

    test('by another application is refused, and the refresh token still works for its own application', async () => {
      const [rp, other] = [await register({ isPublic: true }), await register()];
      const { tokens } = await signIn(rp);

      const stolen = await refresh(program(), other, tokens.refresh_token);
      const own = await refresh(program(), rp, tokens.refresh_token);

      expect(outcomeOf(stolen)).toEqual(INVALID_GRANT);
      expect(own.status).toBe(200);
    });

    test('returns the current data of the user, and the time of the real sign-in', async () => {
      const rp = await register();
      const { user, tokens } = await signIn(rp, { nonce: 'n' });
      advance(5 * SECOND_MS);
      await changeUser(app().change(), user.username, { fullName: 'Ada King' });

      const { body } = await refresh(program(), rp, tokens.refresh_token);

      const [before, after] = [claimsIn(tokens.id_token), claimsIn(body.id_token)];
      expect(after).toMatchObject({ name: 'Ada King', sub: before.sub, aud: rp.key, auth_time: before.auth_time });
      expect(Number(after.iat)).toBeGreaterThan(Number(before.iat));
    });

    test('is possible until 30 days after the last one', async () => {
      const rp = await register();
      const { tokens } = await signIn(rp, { scope: 'openid offline_access' });
      advance(29 * DAY_MS);
      const second = await refresh(program(), rp, tokens.refresh_token);
      advance(29 * DAY_MS);
      const third = await refresh(program(), rp, second.body.refresh_token);
      advance(31 * DAY_MS);

      const late = await refresh(program(), rp, third.body.refresh_token);

      expect([second.status, third.status, ...outcomeOf(late)]).toEqual([200, 200, ...INVALID_GRANT]);
    });

    test('is possible for 365 days in total', async () => {
      const rp = await register();
      let { tokens } = await signIn(rp, { scope: 'openid offline_access' });
      for (let days = 0; days < 364; days += 28) {
        advance(28 * DAY_MS);
        const { status, body } = await refresh(program(), rp, tokens.refresh_token);
        expect([days, status]).toEqual([days, 200]);
        tokens = body;
      }
      advance(2 * DAY_MS);

      const late = await refresh(program(), rp, tokens.refresh_token);

      expect(outcomeOf(late)).toEqual(INVALID_GRANT);
    });

    test('is impossible after the end of the session that it belongs to, and possible after the end of another session', async () => {
      const rp = await register();
      const { user, browser, tokens } = await signIn(rp);
      const other = await app().signIn(user);

      await browser.logout();
      const after = await refresh(program(), rp, tokens.refresh_token);
      const elsewhere = await signInTo(program(), other, rp);

      expect(outcomeOf(after)).toEqual(INVALID_GRANT);
      expect((await userinfo(program(), elsewhere.access_token)).status).toBe(200);
    });
  });

  describe('an access token', () => {
    test('is valid for an hour', async () => {
      const rp = await register();
      const { tokens } = await signIn(rp);
      advance(HOUR_MS - 2 * SECOND_MS);
      const young = await userinfo(program(), tokens.access_token);
      advance(3 * SECOND_MS);

      const old = await userinfo(program(), tokens.access_token);

      expect([tokens.expires_in, young.status, old.status]).toEqual([3600, 200, 401]);
      expect(await introspect(rp, tokens.access_token)).toEqual({ active: false });
    });

    test('is invalid while its application is disabled, and valid again afterwards', async () => {
      const rp = await register();
      const { tokens } = await signIn(rp);
      const setActive = (isActive: boolean) =>
        changeApplication(app().change(), app().services.settings, rp.key, { isActive });

      await setActive(false);
      const disabled = await userinfo(program(), tokens.access_token);
      await setActive(true);
      const enabled = await userinfo(program(), tokens.access_token);

      expect([disabled.status, enabled.status]).toEqual([401, 200]);
    });

    test('of a program has no user: no sub, no refresh token, no ID token, and no claims at userinfo', async () => {
      const rp = await register();

      const { body } = await callAs(program(), rp, 'token', { grant_type: 'client_credentials' });
      const facts = await introspect(rp, body.access_token);

      expect(Object.keys(body).sort()).toEqual(['access_token', 'expires_in', 'token_type']);
      expect(facts).toMatchObject({ active: true, client_id: rp.key });
      for (const name of ['sub', 'username', 'roles']) expect(facts).not.toHaveProperty(name);
      expect((await userinfo(program(), body.access_token)).status).toBe(401);
    });

    test('is described by introspection to its own application, and to no other', async () => {
      const rp = await register();
      const { user, tokens } = await signIn(rp);

      const facts = await introspect(rp, tokens.access_token);
      const toOther = await introspect(await register(), tokens.access_token);

      expect(toOther).toEqual({ active: false });
      expect(facts).toEqual({
        active: true,
        client_id: rp.key,
        sub: user.sub,
        username: user.username,
        roles: ['normaluser'],
        scope: 'openid profile',
        iss: app().services.baseUrl(),
        iat: expect.any(Number),
        exp: expect.any(Number),
        token_type: 'Bearer',
      });
    });
  });

  describe('a code', () => {
    test('is valid for 60 seconds', async () => {
      const rp = await register();
      const code = await codeFor(rp);
      advance(61 * SECOND_MS);

      expect(outcomeOf(await redeem(program(), rp, code))).toEqual(INVALID_GRANT);
    });

    test('that is used again long after it expired still ends the tokens that it gave', async () => {
      const rp = await register();
      const code = await codeFor(rp);
      const { body } = await redeem(program(), rp, code);
      advance(10 * 60 * SECOND_MS);
      expect((await userinfo(program(), body.access_token)).status).toBe(200);

      const again = await redeem(program(), rp, code);

      expect(outcomeOf(again)).toEqual(INVALID_GRANT);
      expect((await userinfo(program(), body.access_token)).status).toBe(401);
      expect(outcomeOf(await refresh(program(), rp, body.refresh_token))).toEqual(INVALID_GRANT);
    });

    test.each([
      ['another verifier', { code_verifier: 'x'.repeat(43) }],
      ['no verifier', { code_verifier: undefined }],
      ['another redirect URI', { redirect_uri: 'https://wiki.example.test/plain' }],
      ['no redirect URI', { redirect_uri: undefined }],
    ])('with %s gives no tokens', async (_what, fields) => {
      const rp = await register();

      const reply = await redeem(program(), rp, await codeFor(rp), fields);

      expect([reply.status, reply.body.access_token]).toEqual([400, undefined]);
    });

    test('of another application gives no tokens', async () => {
      const [rp, other] = [await register(), await register()];

      expect(outcomeOf(await redeem(program(), other, await codeFor(rp)))).toEqual(INVALID_GRANT);
    });
  });

  describe('a pushed request', () => {
    const push = async (rp: RelyingParty) => (await callAs(program(), rp, 'par', requestOf(rp))).body;
    const come = async (browser: Client, { key }: RelyingParty, uri: unknown) =>
      browser.page(`/authsvc/oidc/authorize?${new URLSearchParams({ client_id: key, request_uri: String(uri) })}`);

    test('gives one code, within 60 seconds', async () => {
      const rp = await register();
      const { browser } = await personOf(app(), rp);
      const [inTime, late] = [await push(rp), await push(rp)];

      advance(55 * SECOND_MS);
      const replies = [await come(browser, rp, inTime.request_uri), await come(browser, rp, inTime.request_uri)];
      advance(6 * SECOND_MS);
      replies.push(await come(browser, rp, late.request_uri));

      expect([inTime.expires_in, late.expires_in]).toEqual([60, 60]);
      expect(replies.map(({ status }) => status)).toEqual([303, 400, 400]);
      expect(replies.map((reply) => sentTo(reply, 'code') !== '')).toEqual([true, false, false]);
    });

    test('of another application gives no code', async () => {
      const [rp, other] = [await register(), await register()];
      const { browser } = await personOf(app(), rp, other);
      const { request_uri: uri } = await push(rp);

      const foreign = await come(browser, other, uri);

      expect([foreign.status, sentTo(foreign, 'code')]).toEqual([400, '']);
      expect(sentTo(await come(browser, rp, uri), 'code')).not.toBe('');
    });
  });

  describe('an application without PKCE', () => {
    test('needs a nonce instead, and may not send a verifier without a challenge', async () => {
      const rp = await register({ pkceRequired: false });
      const { browser } = await personOf(app(), rp);

      const bare = await authorize(browser, rp, NO_CHALLENGE);
      const noVerifier = { code_verifier: undefined };
      const code = await codeFor(rp, { ...NO_CHALLENGE, nonce: 'n' });
      const added = await redeem(program(), rp, code);
      const usual = await redeem(program(), rp, await codeFor(rp, { ...NO_CHALLENGE, nonce: 'n' }), noVerifier);

      expect(sentTo(bare, 'error')).toBe('invalid_request');
      expect(outcomeOf(added)).toEqual(INVALID_GRANT);
      expect(usual.status).toBe(200);
      expect(claimsIn(usual.body.id_token).nonce).toBe('n');
    });

    test('may use PKCE nevertheless, and then it is enforced', async () => {
      const rp = await register({ pkceRequired: false });

      const none = await redeem(program(), rp, await codeFor(rp), { code_verifier: undefined });
      const right = await redeem(program(), rp, await codeFor(rp));

      expect([...outcomeOf(none), right.status]).toEqual([...INVALID_GRANT, 200]);
    });
  });
});
