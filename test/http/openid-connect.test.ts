import * as client from 'openid-client';
import { describe, expect, test } from 'vitest';
import type { NewApplication } from '../../src/applications/add-application.ts';
import { changeApplication } from '../../src/applications/change-application.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/lib/clock.ts';
import { endExpiredGrants } from '../../src/oidc/end-expired.ts';
import { rotateKeys } from '../../src/oidc/keys.ts';
import { changeUser } from '../../src/users/change-user.ts';
import type { Client, Reply } from '../support/client.ts';
import { eachDatabase } from '../support/each-database.ts';
import {
  userinfo as askUserinfo,
  authorize,
  CALLBACK,
  PLAIN_CALLBACK,
  personOf,
  type RelyingParty,
  redeem as redeemCode,
  refresh as refreshTokens,
  registerRelyingParty,
  sentTo,
  signInTo,
  VERIFIER,
} from '../support/relying-party.ts';
import type { SeededUser } from '../support/start-app.ts';
import { sharedApp } from './support.ts';

eachDatabase('OpenID Connect', (database) => {
  const app = sharedApp({ database });
  const register = (fields: Partial<NewApplication> = {}) => registerRelyingParty(app(), fields);
  const person = (rp: RelyingParty) => personOf(app(), rp);
  const redeem = (rp: RelyingParty, code: string) => redeemCode(app().client(), rp, code);
  const refresh = (rp: RelyingParty, token: unknown) => refreshTokens(app().client(), rp, token);
  const userinfo = (token: unknown) => askUserinfo(app().client(), token);
  const codeOf = (reply: Reply) => sentTo(reply, 'code');

  const signIn = async (rp: RelyingParty, more: Record<string, string> = {}) => {
    const { user, browser } = await person(rp);
    return { user, browser, tokens: await signInTo(app().client(), browser, rp, more) };
  };

  test('openid-client signs a person in, reads the claims, refreshes and revokes', async () => {
    const rp = await register();
    const { user, browser } = await person(rp);
    const server = new URL(app().services.baseUrl());
    const config = await client.discovery(server, rp.key, rp.secret, undefined, {
      execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks],
    });
    const challenge = await client.calculatePKCECodeChallenge(VERIFIER);
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: PLAIN_CALLBACK,
      scope: 'openid profile',
      state: 's',
      nonce: 'n',
      code_challenge: challenge,
      code_challenge_method: 'S256',
    });

    const { headers } = await browser.page(url.pathname + url.search);
    const checks = { pkceCodeVerifier: VERIFIER, expectedState: 's', expectedNonce: 'n' };
    const tokens = await client.authorizationCodeGrant(config, new URL(headers.location ?? ''), checks);
    const claims = tokens.claims();
    const info = await client.fetchUserInfo(config, tokens.access_token, claims?.sub ?? '');
    const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    await client.tokenRevocation(config, refreshed.access_token);

    expect(info).toMatchObject({ sub: user.sub, preferred_username: user.username });
    expect(claims).toMatchObject({ iss: app().services.baseUrl(), amr: ['pwd'], acr: 'aal1' });
    expect((await userinfo(refreshed.access_token)).status).toBe(401);
  });

  describe('a code', () => {
    test('gives tokens to at most one of twenty simultaneous redemptions, and these tokens end with their grant', async () => {
      const rp = await register();
      const { browser } = await person(rp);
      const code = codeOf(await authorize(browser, rp));

      const replies = await Promise.all(Array.from({ length: 20 }, () => redeem(rp, code)));

      const given = replies.filter(({ status }) => status === 200);
      expect(given.length).toBeLessThanOrEqual(1);
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([...given.map(() => 200), 400]));
      for (const { body } of given) expect((await userinfo(body.access_token)).status).toBe(401);
    });

    test('is stored only as a hash, and so are tokens', async () => {
      const rp = await register();
      const { browser } = await person(rp);
      const code = codeOf(await authorize(browser, rp));
      const { body } = await redeem(rp, code);

      const rows = await app().services.database.kysely.selectFrom('oidc_tokens').selectAll().execute();

      const text = JSON.stringify(rows);
      for (const secret of [code, body.access_token, body.refresh_token]) expect(text).not.toContain(String(secret));
    });

    test('is sent to the redirect URI as registered, by a form if that is requested', async () => {
      const rp = await register();
      const { browser } = await person(rp);

      const byQuery = await authorize(browser, rp);
      const byForm = await authorize(browser, rp, { response_mode: 'form_post' });

      expect(byQuery.status).toBe(303);
      expect(byQuery.headers.location).toMatch(/^https:\/\/wiki\.example\.test\/cb\?keep=1&code=/);
      expect(byForm.status).toBe(200);
      expect(byForm.text).toContain(`action="${CALLBACK}"`);
      expect(byForm.text).toMatch(/name="code" value="[\w-]+"/);
      expect(byForm.headers['content-security-policy']).toContain("form-action 'self' https://wiki.example.test");
    });
  });

  describe('a refresh token', () => {
    test('of a confidential application can be repeated for ten seconds, and ends the grant after that', async () => {
      const rp = await register();
      const { tokens } = await signIn(rp);

      const [first, repeated] = [await refresh(rp, tokens.refresh_token), await refresh(rp, tokens.refresh_token)];
      app().clock.advance(11_000);
      const late = await refresh(rp, tokens.refresh_token);

      expect([first.status, repeated.status, late.status]).toEqual([200, 200, 400]);
      expect((await userinfo(first.body.access_token)).status).toBe(401);
    });

    test('of a public application works once: of four simultaneous uses at most one gets tokens, and these end', async () => {
      const rp = await register({ isPublic: true });
      const { tokens } = await signIn(rp);

      const replies = await Promise.all([1, 2, 3, 4].map(() => refresh(rp, tokens.refresh_token)));

      expect(replies.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
      for (const { body } of replies.filter(({ status }) => status === 200))
        expect((await userinfo(body.access_token)).status).toBe(401);
    });
  });

  const signOut = async (_user: SeededUser, browser: Client): Promise<void> => {
    await browser.logout();
  };
  test.each([
    ['a sign-out the tokens end', {}, signOut, 401],
    ['a sign-out the tokens of offline access stay valid', { scope: 'openid offline_access' }, signOut, 200],
    [
      'a deactivation the tokens of offline access end',
      { scope: 'openid offline_access' },
      async ({ username }: SeededUser): Promise<void> => {
        await changeUser(app().change(), username, { isActive: false });
      },
      401,
    ],
    [
      'the loss of the application the tokens of offline access end',
      { scope: 'openid offline_access' },
      async ({ username }: SeededUser): Promise<void> => {
        await changeUser(app().change(), username, { apps: ['authsvc'] });
      },
      401,
    ],
  ])('after %s', async (_what, more, act, status) => {
    const rp = await register();
    const { user, browser, tokens } = await signIn(rp, more);
    expect((await userinfo(tokens.access_token)).status).toBe(200);

    await act(user, browser);

    expect((await userinfo(tokens.access_token)).status).toBe(status);
    expect((await refresh(rp, tokens.refresh_token)).status).toBe(status === 200 ? 200 : 400);
  });

  test('if a role may no longer use the application, the grants of its users end', async () => {
    const rp = await register();
    const { tokens } = await signIn(rp, { scope: 'openid offline_access' });

    await changeApplication(app().change(), app().services.settings, rp.key, { roles: ['superadmin'] });

    expect((await userinfo(tokens.access_token)).status).toBe(401);
  });

  test('a session that expires ends its grants, and the application gets a logout message', async () => {
    const rp = await register({ backchannelLogoutUri: 'http://127.0.0.1:9/logout' });
    const { user } = await signIn(rp);
    app().clock.advance(3 * DAY_MS);

    await endExpiredGrants(app().services, app().services.clock.now());

    const { kysely } = app().services.database;
    const grants = await kysely.selectFrom('oidc_grants').selectAll().where('user_id', '=', user.id).execute();
    const waiting = await kysely.selectFrom('outbox').select('kind').where('kind', '=', 'logout').execute();
    expect(grants).toEqual([]);
    expect(waiting.length).toBeGreaterThan(0);
  });

  test('new keys are used at once, and tokens signed with the old ones verify for two more hours', async () => {
    const kids = async (): Promise<string[]> => {
      const { body } = await app().client().get('/authsvc/oidc/jwks');
      return Array.isArray(body.keys) ? body.keys.map((key) => String(Object(key).kid)) : [];
    };
    await register();
    const before = await kids();

    await rotateKeys({ ...app().change(), dataSealer: app().services.dataSealer }, true);
    const both = await kids();
    app().clock.advance(2 * HOUR_MS + MINUTE_MS);
    const after = await kids();

    expect(both.length).toBe(before.length + 2);
    expect(after.length).toBe(2);
    expect(after.some((kid) => before.includes(kid))).toBe(false);
  });
});
