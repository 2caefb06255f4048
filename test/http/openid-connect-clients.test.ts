import { createHook } from 'node:async_hooks';
import { describe, expect, test } from 'vitest';
import type { NewApplication } from '../../src/applications/add-application.ts';
import { changeApplication } from '../../src/applications/change-application.ts';
import { removeApplication } from '../../src/applications/remove-application.ts';
import { rotateSecret } from '../../src/applications/rotate-secret.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/lib/clock.ts';
import { rotateKeys } from '../../src/oidc/keys.ts';
import type { Reply } from '../support/client.ts';
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
import { startApp } from '../support/start-app.ts';
import { sharedApp } from './support.ts';

const FORM = 'application/x-www-form-urlencoded';
const corsOf = ({ headers }: Reply) => Object.keys(headers).filter((name) => name.startsWith('access-control-'));
const headerIn = (jwt: unknown): Record<string, unknown> => ({
  ...Object(JSON.parse(Buffer.from(String(jwt).split('.')[0] ?? '', 'base64url').toString())),
});

eachDatabase('OpenID Connect before any application uses it', (database) => {
  test('replies with 404 unless an active application has a redirect URI or the device flow', async (t) => {
    const app = await startApp(t, { database });
    const gets = [
      '/.well-known/openid-configuration',
      '/.well-known/oauth-authorization-server',
      '/authsvc/oidc/jwks',
      '/authsvc/oidc/authorize',
      '/authsvc/oidc/userinfo',
      '/authsvc/oidc/logout',
      '/authsvc/oidc/device',
    ];
    const posts = ['par', 'token', 'introspect', 'revoke', 'device_authorization', 'userinfo', 'logout', 'device'];
    const statuses = async () => [
      ...(await Promise.all(gets.map(async (path) => (await app.client().get(path)).status))),
      ...(await Promise.all(
        posts.map(async (name) => {
          const options = { raw: 'a=b', type: FORM };
          return (await app.client().request('POST', `/authsvc/oidc/${name}`, options)).status;
        }),
      )),
    ];
    await registerRelyingParty(app, { key: 'plain', redirectUris: [] });
    const before = await statuses();
    const { key } = await registerRelyingParty(app, { redirectUris: [], deviceFlow: true });
    const between = await statuses();

    await changeApplication(app.change(), app.services.settings, key, { isActive: false });
    const after = await statuses();

    expect(new Set(before)).toEqual(new Set([404]));
    expect(between).not.toContain(404);
    expect(new Set(after)).toEqual(new Set([404]));
  });
});

eachDatabase('applications as clients of OpenID Connect', (database) => {
  const app = sharedApp({ database });
  const register = (fields: Partial<NewApplication> = {}) => registerRelyingParty(app(), fields);
  const program = () => app().client();
  const post = (endpoint: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    program().request('POST', `/authsvc/oidc/${endpoint}`, {
      raw: new URLSearchParams(fields).toString(),
      type: FORM,
      headers,
    });
  const basic = ({ key, secret }: RelyingParty) => `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`;
  const ownToken = { grant_type: 'client_credentials' };

  test('discovery lists the enabled features at both URLs, and the authorization endpoint accepts only GET', async () => {
    await register();

    const replies = [
      await program().get('/.well-known/openid-configuration'),
      await program().get('/.well-known/oauth-authorization-server'),
    ];
    const jwks = await program().get('/authsvc/oidc/jwks');
    const byPost = await program().request('POST', '/authsvc/oidc/authorize', { raw: 'a=b', type: FORM });

    for (const { status, body } of replies) {
      expect(status).toBe(200);
      expect(body).toMatchObject({
        issuer: app().services.baseUrl(),
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
        id_token_signing_alg_values_supported: ['RS256', 'ES256'],
        acr_values_supported: ['aal1', 'aal2'],
        authorization_response_iss_parameter_supported: true,
        backchannel_logout_supported: true,
        backchannel_logout_session_supported: true,
        claims_parameter_supported: false,
        request_parameter_supported: false,
      });
      expect(body).not.toHaveProperty('registration_endpoint');
    }
    expect(jwks.headers['cache-control']).toBe('public, max-age=300');
    expect(jwks.text).not.toMatch(/"(d|p|q|dp|dq|qi)":/);
    expect(byPost.status).toBe(405);
  });

  describe('authentication', () => {
    test('is accepted by Basic or by the form, but not by both', async () => {
      const rp = await register();
      const inForm = { client_id: rp.key, client_secret: rp.secret };

      const replies = [
        await post('token', ownToken, { authorization: basic(rp) }),
        await post('token', { ...ownToken, ...inForm }),
        await post('token', { ...ownToken, ...inForm }, { authorization: basic(rp) }),
        await post('token', { ...ownToken, client_id: rp.key }),
        await post('token', { ...ownToken, client_id: rp.key.toUpperCase(), client_secret: rp.secret }),
      ];

      expect(replies.map(({ status }) => status)).toEqual([200, 200, 400, 401, 401]);
      for (const { body } of replies.slice(2)) expect(Object.keys(body).sort()).toEqual(['error', 'error_description']);
    });

    test.each(['token', 'introspect', 'revoke', 'par', 'device_authorization'])(
      'of a request to %s that names no application fails (RFC 6749 §5.2)',
      async (endpoint) => {
        await register();

        const replies = [
          await post(endpoint, { ...ownToken, token: 'nothing' }),
          await post(endpoint, { ...ownToken, token: 'nothing' }, { authorization: 'Basic !' }),
          await post(endpoint, { ...ownToken, token: 'nothing' }, { authorization: 'Bearer nothing' }),
        ];

        for (const reply of replies) {
          expect(outcomeOf(reply)).toEqual([401, 'invalid_client']);
          expect(reply.headers['www-authenticate']).toMatch(/^Basic realm=/);
        }
      },
    );

    test('of a public application needs only its name, and a secret is refused', async () => {
      const rp = await register({ isPublic: true });
      const { browser } = await personOf(app(), rp);
      const code = async () => sentTo(await authorize(browser, rp), 'code');

      const replies = [
        await redeem(program(), rp, await code(), { client_secret: `acs_${'0'.repeat(64)}` }),
        await redeem(program(), { ...rp, secret: `acs_${'0'.repeat(64)}` }, await code()),
      ];

      expect(replies.map(outcomeOf)).toEqual([
        [401, 'invalid_client'],
        [401, 'invalid_client'],
      ]);
      expect((await redeem(program(), rp, await code())).status).toBe(200);
    });

    test('accepts the old secret of an application until that secret expires', async () => {
      const rp = await register();
      const { secret } = await rotateSecret(app().change(), rp.key, 1);
      const statuses = async () => [
        (await callAs(program(), rp, 'token', ownToken)).status,
        (await callAs(program(), { ...rp, secret }, 'token', ownToken)).status,
      ];

      const during = await statuses();
      app().clock.advance(HOUR_MS + MINUTE_MS);
      const after = await statuses();
      app().clock.advance(-HOUR_MS - MINUTE_MS);

      expect([during, after]).toEqual([
        [200, 200],
        [401, 200],
      ]);
    });

    test('of a removed application fails, and its tokens, consents and waiting logouts are gone', async () => {
      const rp = await register({ isThirdParty: false, backchannelLogoutUri: 'http://127.0.0.1:9/logout' });
      const { browser } = await personOf(app(), rp);
      const tokens = await signInTo(program(), browser, rp);
      const second = await personOf(app(), rp);
      await signInTo(program(), second.browser, rp);
      await second.browser.logout();
      const { kysely } = app().services.database;
      const { id } = await kysely
        .selectFrom('applications')
        .select('id')
        .where('key', '=', rp.key)
        .executeTakeFirstOrThrow();
      const rows = async () => [
        ...(await kysely.selectFrom('oidc_grants').select('id').where('application_id', '=', id).execute()),
        ...(await kysely.selectFrom('outbox').select('id').where('application_id', '=', id).execute()),
      ];
      expect((await rows()).length).toBe(2);

      await removeApplication(app().change(), rp.key);

      expect(await rows()).toEqual([]);
      expect((await userinfo(program(), tokens.access_token)).status).toBe(401);
      expect(outcomeOf(await refresh(program(), rp, tokens.refresh_token))).toEqual([401, 'invalid_client']);
      expect((await authorize(browser, rp)).status).toBe(400);
    });
  });

  test.each([
    ['a device code, without --device', {}, 'urn:ietf:params:oauth:grant-type:device_code'],
    ['a code, without a redirect URI', { redirectUris: [], deviceFlow: true }, 'authorization_code'],
    ['a token of its own, if it is public', { isPublic: true }, 'client_credentials'],
  ])('an application gets no tokens for %s (RFC 6749 §5.2)', async (_what, fields, grantType) => {
    const rp = await register(fields);

    const reply = await callAs(program(), rp, 'token', { grant_type: grantType, code: 'c', device_code: 'c' });

    expect(outcomeOf(reply)).toEqual([400, 'unauthorized_client']);
  });

  describe('redirect URIs', () => {
    const answered = async (rp: RelyingParty, uri: string) => {
      const { browser } = await personOf(app(), rp);
      return sentTo(await authorize(browser, rp, { redirect_uri: uri }), 'code') !== '';
    };

    test("on the person's own machine may have any port, for public applications only", async () => {
      const redirectUris = ['http://127.0.0.1/cb', 'http://[::1]:9000/cb', 'http://localhost:1/cb'];
      const [open, closed] = [await register({ isPublic: true, redirectUris }), await register({ redirectUris })];

      for (const uri of ['http://127.0.0.1:4711/cb', 'http://[::1]/cb', 'http://localhost:65535/cb'])
        expect([uri, await answered(open, uri), await answered(closed, uri)]).toEqual([uri, true, false]);
      const others = ['http://127.0.0.1:4711/other', 'http://127.0.0.2:1/cb', 'https://127.0.0.1/cb'];
      for (const uri of [...others, 'http://127.0.0.1:65536/cb', 'http://localhost:99999/cb'])
        expect([uri, await answered(open, uri)]).toEqual([uri, false]);
    });

    test('with a private scheme are compared byte by byte', async () => {
      const rp = await register({ isPublic: true, redirectUris: ['com.example.app:/cb'] });

      expect(await answered(rp, 'com.example.app:/cb')).toBe(true);
      expect(await answered(rp, 'com.example.app:/cb2')).toBe(false);
    });

    test('of insecure kinds cannot be registered', async () => {
      const bad = ['javascript:alert(1)', 'data:text/html,x', 'file:///etc', 'https://a.test/#f', 'app:/cb'];
      for (const uri of [...bad, 'com.example.app:/cb'])
        await expect(register({ redirectUris: [uri] }), uri).rejects.toThrow();
      for (const uri of bad) await expect(register({ redirectUris: [uri], isPublic: true }), uri).rejects.toThrow();
    });
  });

  test('many simultaneous first requests create the keys together', async (t) => {
    const own = await startApp(t, { database });
    await registerRelyingParty(own);
    let pairs = 0;
    const watch = createHook({
      init: (_id, type) => {
        if (type === 'KEYPAIRGENREQUEST') pairs += 1;
      },
    }).enable();
    t.onTestFinished(() => void watch.disable());

    const replies = await Promise.all(Array.from({ length: 50 }, () => own.client().get('/authsvc/oidc/jwks')));

    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(replies[0]?.body.keys).toHaveLength(2);
    expect(pairs).toBe(2);
  });

  test('an ID token is signed as the application requests, and a replaced key is no longer published', async () => {
    const [rs, es] = [await register(), await register({ idTokenAlg: 'ES256' })];
    const { browser } = await personOf(app(), rs, es);
    const [byRs, byEs] = [await signInTo(program(), browser, rs), await signInTo(program(), browser, es)];
    const kids = async () => (await program().get('/authsvc/oidc/jwks')).text;
    const { kid } = headerIn(byRs.id_token);
    expect(await kids()).toContain(String(kid));

    await rotateKeys({ ...app().change(), dataSealer: app().services.dataSealer }, false);

    expect([headerIn(byRs.id_token).alg, headerIn(byEs.id_token).alg]).toEqual(['RS256', 'ES256']);
    expect(await kids()).not.toContain(String(kid));
    expect(claimsIn(byEs.id_token)).toMatchObject({ aud: es.key, iss: app().services.baseUrl() });
  });

  describe('introspection and revocation', () => {
    test('reveal nothing about an unknown token, and nothing at all to public applications', async () => {
      const [rp, open] = [await register(), await register({ isPublic: true })];
      const { browser } = await personOf(app(), rp, open);
      const { access_token: token } = await signInTo(program(), browser, open);
      const { id_token: idToken, access_token: own } = await signInTo(program(), browser, rp);

      const replies = [
        await callAs(program(), rp, 'introspect', { token: 'nothing' }),
        await callAs(program(), rp, 'introspect', { token: String(idToken) }),
        await callAs(program(), open, 'introspect', { token: String(token) }),
      ];
      const revoked = [
        await callAs(program(), rp, 'revoke', { token: 'nothing' }),
        await callAs(program(), rp, 'revoke', { token: String(idToken) }),
      ];

      for (const { status, body } of replies) expect([status, body]).toEqual([200, { active: false }]);
      expect(revoked.map(({ status, text }) => [status, text])).toEqual(revoked.map(() => [200, '']));
      expect((await userinfo(program(), own)).status).toBe(200);
    });

    test('do not affect a token of another application; the revocation of an own token ends its grant', async () => {
      const [rp, other] = [await register(), await register()];
      const { browser } = await personOf(app(), rp);
      const tokens = await signInTo(program(), browser, rp);
      const token = String(tokens.access_token);

      const foreign = await callAs(program(), other, 'revoke', { token });
      const alive = await userinfo(program(), token);
      const own = await callAs(program(), rp, 'revoke', { token });

      expect([foreign.status, alive.status, own.status]).toEqual([400, 200, 200]);
      expect((await userinfo(program(), token)).status).toBe(401);
      expect(outcomeOf(await refresh(program(), rp, tokens.refresh_token))).toEqual([400, 'invalid_grant']);
    });
  });

  test('CORS allows the keys for every origin, the tokens for origins of public applications, and nothing else', async () => {
    const origin = 'https://spa.example.test';
    const open = await register({ isPublic: true, urls: [`${origin}/app`] });
    const closed = await register({ urls: ['https://closed.example.test'] });
    const ask = (method: string, path: string, from: string, fields: Record<string, string> = {}) =>
      program().request(method, path, {
        ...(method === 'POST' ? { raw: new URLSearchParams(fields).toString(), type: FORM } : {}),
        headers: {
          origin: from,
          ...(method === 'OPTIONS' ? { 'access-control-request-method': 'POST' } : {}),
        },
      });
    const allowed = ({ headers }: Reply) => headers['access-control-allow-origin'];
    const fields = { client_id: open.key, grant_type: 'refresh_token', refresh_token: 'x', token: 'x' };

    const forAll = [
      await ask('GET', '/.well-known/openid-configuration', 'https://any.test'),
      await ask('GET', '/authsvc/oidc/jwks', 'https://any.test'),
    ];
    const own = [
      await ask('POST', '/authsvc/oidc/token', origin, fields),
      await ask('POST', '/authsvc/oidc/revoke', origin, fields),
      await ask('GET', '/authsvc/oidc/userinfo', origin),
      await ask('POST', '/authsvc/oidc/token', 'https://wiki.example.test', fields),
    ];
    const none = [
      await ask('POST', '/authsvc/oidc/token', 'https://any.test', fields),
      await ask('POST', '/authsvc/oidc/token', 'https://closed.example.test', { ...fields, client_id: closed.key }),
      await ask('POST', '/authsvc/oidc/introspect', origin, fields),
      await ask('POST', '/authsvc/oidc/par', origin, requestOf(open)),
      await ask('GET', '/authsvc/oidc/authorize', origin),
      await ask('GET', '/authsvc/oidc/logout', origin),
    ];

    const preflights = await Promise.all(
      ['token', 'userinfo', 'revoke', 'device_authorization', 'introspect', 'par', 'logout'].map(async (name) => [
        name,
        allowed(await ask('OPTIONS', `/authsvc/oidc/${name}`, origin)),
        allowed(await ask('OPTIONS', `/authsvc/oidc/${name}`, 'https://any.test')),
      ]),
    );

    for (const reply of forAll) expect(['*', 'https://any.test']).toContain(allowed(reply));
    for (const name of ['token', 'userinfo', 'revoke', 'device_authorization'])
      expect(preflights).toContainEqual([name, origin, undefined]);
    for (const name of ['introspect', 'par', 'logout']) expect(preflights).toContainEqual([name, undefined, undefined]);
    expect(own.map(allowed)).toEqual([origin, origin, origin, 'https://wiki.example.test']);
    expect(none.map(corsOf)).toEqual(none.map(() => []));
    for (const { headers } of [...forAll, ...own])
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
  });
});
