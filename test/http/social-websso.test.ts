import { generateSync } from 'otplib';
import { beforeAll, describe, expect, test } from 'vitest';
import { enableSecondFactor } from '../../src/factors/second-factor.ts';
import { DAY_MS, MINUTE_MS } from '../../src/lib/clock.ts';
import { newTotpSecret } from '../../src/lib/totp.ts';
import { eachDatabase } from '../support/each-database.ts';
import type { Tampering } from '../support/openid-provider.ts';
import { startApp } from '../support/start-app.ts';
import {
  expectErrorPage,
  sharedSocialWorld,
  start,
  startSocialWorld,
  stateOf,
  throughWebsso,
} from './social-support.ts';

const DISCOVERY = '/.well-known/openid-configuration';

eachDatabase('sign-in through an OpenID Provider', (database) => {
  const world = sharedSocialWorld(database, { AUTHSVC_TWO_FA_ENABLE: 'true' });

  test('the owner of a linked account signs in at the provider and is redirected', async () => {
    const { app, linkedUser } = world();
    const ada = await linkedUser('websso', 'sub-ada');
    const client = app.client();

    const reply = await throughWebsso(world(), client, 'sub-ada', '?redirect=%2Fapp%3Fa%3D1');

    expect(reply.status).toBe(302);
    expect(reply.headers.location).toBe('/app?a=1');
    expect((await client.get('/authsvc/api/account-sessions')).body.accounts).toMatchObject([
      { username: ada.username },
    ]);
    expect(reply.cookies.find(({ name }) => name === 'last_login_method')?.value).toBe('websso');
  });

  test('an account id that is linked at the code host is not linked at the OpenID Provider', async () => {
    const { app, linkedUser } = world();
    await linkedUser('codehost', 'sub-1001');
    const client = app.client();

    expectErrorPage(await throughWebsso(world(), client, 'sub-1001'), 'PROVIDER_ACCOUNT_NOT_LINKED');
    expect(await client.isSignedIn()).toBe(false);
  });

  test('a user with a second factor is asked for it, and then redirected to the destination of the start', async () => {
    const { app, linkedUser } = world();
    const eve = await linkedUser('websso', 'sub-eve');
    const { dataSealer, clock } = app.services;
    const secret = newTotpSecret();
    await enableSecondFactor({ ...app.change(), dataSealer }, eve, secret);
    const client = app.client();

    const callback = await world().websso.agree(await start(client, 'websso', '?redirect=/app'), 'sub-eve');
    const first = await client.page(callback);
    const isSignedInBefore = await client.isSignedIn();
    const again = await client.page(callback);
    const token = generateSync({ secret, epoch: Math.floor(clock.now() / 1000) });
    const csrf = await client.csrf('/authsvc/2fa');
    const second = await client.post('/authsvc/api/verify-2fa', { token, _csrf: csrf, trust_device: true });

    expect(first.headers.location).toBe('/authsvc/2fa');
    expect(isSignedInBefore).toBe(false);
    expectErrorPage(again, 'SOCIAL_START_USED');
    expect(again.text).toContain('href="/authsvc/2fa"');
    expect(second.body).toMatchObject({ success: true, redirect_url: '/app' });
    client.jar.delete('session_id');
    expect((await throughWebsso(world(), client, 'sub-eve')).headers.location).toBe('/home');
  });

  test('two simultaneous starts cause one request for the discovery document', async () => {
    const { app, websso } = world();
    app.clock.advance(61 * MINUTE_MS);

    await Promise.all([start(app.client(), 'websso'), start(app.client(), 'websso')]);
    await start(app.client(), 'websso');

    expect(websso.seen).toEqual([DISCOVERY]);
  });

  test('a new key of the provider is fetched at once', async () => {
    const { app, websso, linkedUser } = world();
    await linkedUser('websso', 'sub-keys');
    const signIn = async () => (await throughWebsso(world(), app.client(), 'sub-keys')).headers.location;
    const askedForKeys = () => websso.seen.filter((path) => path === '/jwks').length;
    await signIn();
    websso.seen.length = 0;

    const withKnownKeys = await signIn();
    const before = askedForKeys();
    websso.admit(app.services.baseUrl());
    const withNewKeys = await signIn();

    expect([withKnownKeys, withNewKeys]).toEqual(['/home', '/home']);
    expect([before, askedForKeys()]).toEqual([0, 1]);
    expect(websso.seen).not.toContain(DISCOVERY);
  });

  test('the discovery document is requested again even if the clock ran ahead before', async () => {
    const { app, websso, linkedUser } = world();
    await linkedUser('websso', 'sub-ahead');
    const signIn = async () => (await throughWebsso(world(), app.client(), 'sub-ahead')).headers.location;
    app.clock.advance(DAY_MS);
    await signIn();
    websso.admit(app.services.baseUrl());
    await signIn();
    app.clock.advance(-DAY_MS);
    websso.admit(app.services.baseUrl());
    websso.seen.length = 0;

    expect(await signIn()).toBe('/home');
    expect(websso.seen).toContain(DISCOVERY);
  });
});

describe('a reply of the provider is refused if', () => {
  const world = sharedSocialWorld('sqlite');
  beforeAll(async () => {
    for (const subject of ['sub-linked', 'sub-victim']) await world().linkedUser('websso', subject);
  });

  const now = () => Math.floor(Date.now() / 1000);
  const changeSubject = (token: string) => {
    const [header, payload = '', signature] = token.split('.');
    const claims = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), sub: 'sub-victim' };
    return [header, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.');
  };
  const spoiled: [string, Tampering][] = [
    ['a changed subject under the old signature', { token: changeSubject }],
    ['a damaged signature', { token: (made) => made.replace(/[^.]+$/, (end) => end.split('').reverse().join('')) }],
    ['a signature by a wrong key', { signedByStranger: true }],
    ['no signature and alg RS256', { token: (made) => made.replace(/[^.]+$/, '') }],
    ['a key id that the provider does not have', { header: { kid: 'another' } }],
    ['another issuer', { claims: (claims) => ({ ...claims, iss: 'https://issuer.evil.example' }) }],
    ['another audience', { claims: (claims) => ({ ...claims, aud: 'another-client' }) }],
    [
      'audiences without an authorised party',
      { claims: (claims) => ({ ...claims, aud: [String(claims.aud), 'another'] }) },
    ],
    ['another authorised party', { claims: (claims) => ({ ...claims, azp: 'another' }) }],
    ['another nonce', { claims: (claims) => ({ ...claims, nonce: 'another' }) }],
    ['no nonce', { claims: ({ nonce, ...claims }) => claims }],
    ['an expiry in the past', { claims: (claims) => ({ ...claims, iat: now() - 7200, exp: now() - 3600 }) }],
    ['no expiry', { claims: ({ exp, ...claims }) => claims }],
    ['a validity that begins in the future', { claims: (claims) => ({ ...claims, nbf: now() + 3600 }) }],
    ['a time of issue in the future', { claims: (claims) => ({ ...claims, iat: now() + 3600, exp: now() + 7200 }) }],
    ['no subject', { claims: ({ sub, ...claims }) => claims }],
    ['no JWT format', { token: () => 'UPSTREAM-DETAIL' }],
  ];
  test.each(spoiled)('the ID token has %s', async (_what, tampering) => {
    const { app, websso } = world();
    websso.tampering = tampering;
    const client = app.client();

    const reply = await throughWebsso(world(), client, 'sub-linked');

    expectErrorPage(reply, 'PROVIDER_PROOF_INVALID');
    expect(await client.isSignedIn()).toBe(false);
    expect(app.log().findLast(({ level }) => level === 'warn')).toMatchObject({ code: 'PROVIDER_PROOF_INVALID' });
  });

  test('the ID token is signed with an unknown key; repeated refusals cause only occasional requests for the document and the keys', async () => {
    const { app, websso } = world();
    websso.tampering = { header: { kid: 'another' } };
    const refused = async () =>
      expectErrorPage(await throughWebsso(world(), app.client(), 'sub-linked'), 'PROVIDER_PROOF_INVALID');
    const asked = (path: string) => websso.seen.filter((seen) => seen === path).length;
    app.clock.advance(61 * MINUTE_MS);
    for (let at = 0; at < 2; at += 1) await refused();
    const [documents, keys] = [asked(DISCOVERY), asked('/jwks')];

    for (let at = 0; at < 4; at += 1) await refused();
    const meanwhile = [asked(DISCOVERY), asked('/jwks')];
    app.clock.advance(11_000);
    for (let at = 0; at < 2; at += 1) await refused();

    expect(meanwhile).toEqual([documents, keys + 1]);
    expect(asked(DISCOVERY)).toBe(documents + 1);
  });

  test('the ID token has a subject that is not plain text', async () => {
    const { websso, app } = world();
    websso.tampering = { claims: (claims) => ({ ...claims, sub: 'line\nbreak' }) };

    expectErrorPage(await throughWebsso(world(), app.client(), 'sub-x'), 'PROVIDER_ANSWER_INVALID');
  });

  test.each(['https://issuer.evil.example', ''])('the reply names the issuer "%s" (RFC 9207)', async (issuer) => {
    const { websso, app } = world();
    const client = app.client();
    const back = await websso.agree(await start(client, 'websso'), 'sub-x');
    expect(back).toContain('iss=');
    websso.seen.length = 0;

    const reply = await client.page(back.replace(/iss=[^&]*/, `iss=${encodeURIComponent(issuer)}`));

    expectErrorPage(reply, 'PROVIDER_PROOF_INVALID');
    expect(websso.seen).toEqual([]);
  });

  test('the reply does not name its issuer, although the provider always does', async () => {
    const { websso, app } = world();
    const client = app.client();
    const back = await websso.agree(await start(client, 'websso'), 'sub-x');

    expectErrorPage(await client.page(back.replace(/&?iss=[^&]*/, '')), 'PROVIDER_PROOF_INVALID');
  });
});

describe('an OpenID Provider that fails', () => {
  test('that is down is reported, other users can sign in, and it is used again when it is back', async (t) => {
    const world = await startSocialWorld(t, { database: 'sqlite' });
    const { app, websso, linkedUser } = world;
    const ada = await linkedUser('websso', 'sub-ada');
    websso.isUp = false;

    const down = await app.client().page('/authsvc/api/websso/login?redirect=/app');
    const byPassword = await app.client().login(ada);
    websso.isUp = true;
    const back = await throughWebsso(world, app.client(), 'sub-ada');

    expectErrorPage(down, 'PROVIDER_UNREACHABLE');
    expect(byPassword.status).toBe(200);
    expect(back.headers.location).toBe('/home');
  });

  test('that goes down while the person is there is reported', async (t) => {
    const world = await startSocialWorld(t, { database: 'sqlite' });
    const client = world.app.client();
    const back = await world.websso.agree(await start(client, 'websso'), 'sub-ada');
    world.websso.isUp = false;

    expectErrorPage(await client.page(back), 'PROVIDER_UNREACHABLE');
  });

  test('that refuses an invented code or the client secret, or whose issuer has another name, is reported', async (t) => {
    const world = await startSocialWorld(t, { database: 'sqlite', settings: { WEBSSO_CLIENT_SECRET: 'wrong' } });
    const { app, websso, codehost } = world;
    const client = app.client();
    const settings = { ...websso.settings, WEBSSO_ISSUER: `${websso.url}/` };
    const right = await startApp(t, { database: 'sqlite', settings });
    const other = await startApp(t, {
      database: 'sqlite',
      settings: { ...websso.settings, WEBSSO_ISSUER: websso.url.replace('127.0.0.1', 'localhost') },
    });
    const made = right.client();
    const callback = `/authsvc/api/websso/login/callback?code=made-up&iss=${encodeURIComponent(websso.url)}`;

    const wrongSecret = await throughWebsso(world, client, 'sub-ada');
    websso.admit(right.services.baseUrl());
    const madeUp = await made.page(`${callback}&state=${stateOf(await start(made, 'websso'))}`);
    const otherName = await other.client().page('/authsvc/api/websso/login');

    expectErrorPage(wrongSecret, 'PROVIDER_MISCONFIGURED');
    expect(app.log().findLast(({ level }) => level === 'error')).toMatchObject({
      provider: 'websso',
      err: {
        message: expect.stringMatching(
          /^the token endpoint .*\/token \(WEBSSO_ISSUER\) refused with 40\d "invalid_client"/,
        ),
      },
    });
    expectErrorPage(madeUp, 'PROVIDER_CODE_INVALID');
    expectErrorPage(otherName, 'PROVIDER_MISCONFIGURED');
    expect(codehost.seen).toEqual([]);
  });
});
