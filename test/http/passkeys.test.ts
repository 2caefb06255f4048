import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { listAuditEvents } from '../../src/events/list-events.ts';
import { removePasskey } from '../../src/factors/remove-passkey.ts';
import { MINUTE_MS } from '../../src/lib/clock.ts';
import { changeUser } from '../../src/users/change-user.ts';
import {
  authenticatorFor,
  type KeyKind,
  type Lies,
  passkeySignIn,
  seedPasskey,
  seedPasskeyUser,
  signInOptions,
} from '../support/authenticator.ts';
import type { Client } from '../support/client.ts';
import { eachDatabase, freshDatabase } from '../support/each-database.ts';
import { startApp, type TestApp } from '../support/start-app.ts';
import { seedSecondFactorUser } from '../support/totp.ts';
import { expectError, sharedApp } from './support.ts';

const send = (client: Client, response: unknown) => client.post('/authsvc/api/passkey', { response });

const eventsOf = async ({ services }: TestApp, userId: number) => {
  await services.notes.finish();
  return (await listAuditEvents(services.database, { userIds: [userId] }, { limit: 50 })).events;
};

const passkeyRow = ({ services }: TestApp, ref: string) =>
  services.database.kysely.selectFrom('passkeys').selectAll().where('ref', '=', ref).executeTakeFirst();

eachDatabase('sign-in by passkey', (database) => {
  const app = sharedApp({ database, settings: { AUTHSVC_TWO_FA_ENABLE: 'true' } });

  test('the options name no user and require verification, and each challenge is different', async () => {
    const client = app().client();

    const reply = await client.post('/authsvc/api/passkey/options', {});

    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({
      success: true,
      options: {
        challenge: expect.stringMatching(/^[\w-]{43}$/),
        rpId: 'localhost',
        allowCredentials: [],
        userVerification: 'required',
        timeout: 300_000,
      },
    });
    expect((await signInOptions(client)).challenge).not.toBe(Reflect.get(Object(reply.body.options), 'challenge'));
  });

  test.each<KeyKind>(['ES256', 'EdDSA', 'RS256'])(
    'a passkey with %s opens a session without a name or a code',
    async (kind) => {
      const { user, authenticator, passkey } = await seedPasskeyUser(app(), { kind });
      const client = app().client();

      const reply = await passkeySignIn(client, authenticator, {}, { redirect: '/wiki?page=2' });

      expect(reply.status).toBe(200);
      expect(reply.body).toEqual({ success: true, message: 'Login successful', redirect_url: '/wiki?page=2' });
      expect(reply.cookies.find(({ name }) => name === 'last_login_method')?.value).toBe('passkey');
      expect(await client.isSignedIn()).toBe(true);
      const { kysely } = app().services.database;
      const session = await kysely.selectFrom('sessions').selectAll().where('user_id', '=', user.id).executeTakeFirst();
      expect(session).toMatchObject({
        method: 'passkey',
        amr: '["swk","user","mfa"]',
        passkey_ref: passkey.ref,
      });
      const [event] = await eventsOf(app(), user.id);
      expect(event).toMatchObject({
        event: 'user.signed_in',
        actor_id: user.id,
        details: { method: 'passkey', second_factor: 'passkey', sessions_ended: 0 },
      });
      expect((await passkeyRow(app(), passkey.ref))?.last_used_at).toBeGreaterThan(0);
    },
  );

  test('a user with a second factor is not asked for a code', async () => {
    const user = await seedSecondFactorUser(app());
    const authenticator = authenticatorFor(app());
    await seedPasskey(app(), user, authenticator);

    const reply = await passkeySignIn(app().client(), authenticator);

    expect(reply.status).toBe(200);
    expect(reply.body).not.toHaveProperty('two_factor_required');
  });

  test('adds an account beside the one that is signed in', async () => {
    const { authenticator } = await seedPasskeyUser(app());
    const client = await app().signIn(await app().seedUser());

    expect((await passkeySignIn(client, authenticator)).status).toBe(200);

    const { body } = await client.get('/authsvc/api/account-sessions');
    expect(body.accounts).toHaveLength(2);
  });

  const lies: Record<string, (good: { otherHandle: string }) => Lies> = {
    'another origin': () => ({ origin: 'http://evil.example' }),
    'another port': () => ({ origin: 'http://localhost:1' }),
    'another RP id': () => ({ rpId: 'evil.example' }),
    'the type of a registration': () => ({ type: 'webauthn.create' }),
    'a challenge of its own': () => ({ challenge: Buffer.alloc(32, 7).toString('base64url') }),
    'an empty challenge': () => ({ challenge: '' }),
    'no user presence': () => ({ isPresent: false }),
    'no user verification': () => ({ isVerified: false }),
    'an enclosing page of another origin': () => ({ crossOrigin: true }),
    'an unknown credential': () => ({ credentialId: 'AAAA' }),
    'no user handle': () => ({ userHandle: undefined }),
    'the handle of another user': ({ otherHandle }) => ({ userHandle: otherHandle }),
    'the signature of another key': () => ({ key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey }),
  };

  test.each(Object.keys(lies))('an answer with %s is refused, and the passkey still works', async (what) => {
    const { authenticator, passkey } = await seedPasskeyUser(app());
    const other = await seedPasskeyUser(app());
    const otherHandle = other.authenticator.credentials[0]?.userHandle ?? '';
    const client = app().client();

    const reply = await passkeySignIn(client, authenticator, lies[what]?.({ otherHandle }));

    expectError(reply, 'PASSKEY_REFUSED');
    expect(await client.isSignedIn()).toBe(false);
    expect((await passkeyRow(app(), passkey.ref))?.last_used_at).toBeNull();
    expect((await passkeySignIn(client, authenticator)).status).toBe(200);
  });

  test.each([
    ['nothing', {}],
    ['texts of no meaning', { id: 'a', rawId: 'a', type: 'public-key', response: { clientDataJSON: '!!!' } }],
    ['a byte 0', { id: '\0', rawId: '\0', type: 'public-key', response: { userHandle: '\0' } }],
    ['numbers', { id: 1, rawId: 1, type: 1, response: 1 }],
  ])('an answer that consists of %s is refused', async (_what, response) => {
    expectError(await send(app().client(), response), 'PASSKEY_REFUSED');
  });

  test('a body without an answer does not count as an attempt', async () => {
    expectError(await app().client().post('/authsvc/api/passkey', {}), 'MISSING_REQUIRED_FIELD', 'response');
    expectError(await send(app().client(), 'text'), 'FIELD_INVALID', 'response');
  });

  test('a challenge can be used only once, even if that use fails, and only in its browser', async () => {
    const { authenticator } = await seedPasskeyUser(app());
    const [client, thief] = [app().client(), app().client()];
    const [used, failed, stolen] = [
      await signInOptions(client),
      await signInOptions(client),
      await signInOptions(client),
    ];
    await signInOptions(thief);

    expect((await send(client, authenticator.get(used))).status).toBe(200);
    expectError(await send(client, authenticator.get(used)), 'PASSKEY_REFUSED');
    expectError(await send(client, authenticator.get(failed, { isVerified: false })), 'PASSKEY_REFUSED');
    expectError(await send(client, authenticator.get(failed)), 'PASSKEY_REFUSED');
    expectError(await send(thief, authenticator.get(stolen)), 'PASSKEY_REFUSED');
    expectError(await send(client, authenticator.get(stolen)), 'PASSKEY_REFUSED');
  });

  test('a second tab does not invalidate the challenge of the first', async () => {
    const { authenticator } = await seedPasskeyUser(app());
    const client = app().client();
    const first = await signInOptions(client);
    await signInOptions(client);

    expect((await send(client, authenticator.get(first))).status).toBe(200);
  });

  test('a challenge of a session does not work for another account of the browser', async () => {
    const { authenticator } = await seedPasskeyUser(app());
    const client = await app().signIn(await app().seedUser());
    const [kept, left] = [await signInOptions(client), await signInOptions(client)];

    expect((await send(client, authenticator.get(kept))).status).toBe(200);
    expectError(await send(client, authenticator.get(left)), 'PASSKEY_REFUSED');
  });

  test('of twenty simultaneous answers to one challenge, only one signs in', async () => {
    const { authenticator } = await seedPasskeyUser(app(), { isSynced: true });
    const client = app().client();
    const options = await signInOptions(client);

    const replies = await Promise.all(
      Array.from({ length: 20 }, () => send(client.clone(), authenticator.get(options))),
    );

    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test('a counter must increase, or the failure is audited; one that is always 0 is accepted', async () => {
    const { user, authenticator } = await seedPasskeyUser(app());
    const synced = await seedPasskeyUser(app(), { isSynced: true });

    expect((await passkeySignIn(app().client(), authenticator, { counter: 10 })).status).toBe(200);
    for (const counter of [10, 9, 0])
      expectError(await passkeySignIn(app().client(), authenticator, { counter }), 'PASSKEY_REFUSED');
    expect((await passkeySignIn(app().client(), authenticator, { counter: 11 })).status).toBe(200);
    for (let i = 0; i < 2; i += 1) expect((await passkeySignIn(app().client(), synced.authenticator)).status).toBe(200);

    const refused = (await eventsOf(app(), user.id)).filter(({ event }) => event === 'sign_in.refused');
    expect(refused).not.toHaveLength(0);
    for (const { details } of refused)
      expect(details).toMatchObject({ reason: 'PASSKEY_REFUSED', method: 'passkey', cause: 'counter' });
  });

  test('a wrong signature with an old counter is not reported as a copied key', async () => {
    const { user, authenticator } = await seedPasskeyUser(app());
    const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

    expectError(await passkeySignIn(app().client(), authenticator, { counter: 1, key }), 'PASSKEY_REFUSED');

    const [refused] = await eventsOf(app(), user.id);
    expect(refused?.event).toBe('sign_in.refused');
    expect(refused?.details).not.toHaveProperty('cause');
  });

  test('of two simultaneous answers with the same counter, only one signs in', async () => {
    const { authenticator } = await seedPasskeyUser(app());
    const clients = [app().client(), app().client()];
    const answers: unknown[] = [];
    for (const client of clients) answers.push(authenticator.get(await signInOptions(client), { counter: 77 }));

    const replies = await Promise.all(clients.map((client, index) => send(client, answers[index])));

    expect(replies.map(({ status }) => status).sort()).toEqual([200, 401]);
  });

  test('inactive users and those without access to the application are refused as by password', async () => {
    const [inactive, elsewhere] = [await seedPasskeyUser(app()), await seedPasskeyUser(app())];
    await changeUser(app().change(), inactive.user.username, { isActive: false });
    await changeUser(app().change(), elsewhere.user.username, { apps: ['elsewhere'] });

    expectError(await passkeySignIn(app().client(), inactive.authenticator), 'ACCOUNT_INACTIVE');
    expectError(await passkeySignIn(app().client(), elsewhere.authenticator), 'APP_NOT_ALLOWED');
  });

  test('a removed passkey ends the sessions that it opened, and no others', async () => {
    const { user, authenticator, passkey } = await seedPasskeyUser(app());
    const [byPasskey, byPassword] = [app().client(), await app().signIn(user)];
    await passkeySignIn(byPasskey, authenticator);
    const { settings } = app().services;

    const removed = await removePasskey({ ...app().change(), settings }, user, {
      ref: passkey.ref,
      mayBeLast: true,
    });

    expect(removed).toEqual({ sessionsEnded: 1, wasLastWayIn: false });
    expect([await byPasskey.isSignedIn(), await byPassword.isSignedIn()]).toEqual([false, true]);
    expectError(await passkeySignIn(app().client(), authenticator), 'PASSKEY_REFUSED');
    const event = (await eventsOf(app(), user.id)).find(
      (one) => one.event === 'factor.changed' && one.details.change === 'removed',
    );
    expect(event).toMatchObject({
      event: 'factor.changed',
      details: { kind: 'passkey', change: 'removed', passkey_ref: passkey.ref, sessions_ended: 1 },
    });
  });

  test('a credential id that another user has is refused', async () => {
    const { authenticator } = await seedPasskeyUser(app());
    const credentialId = authenticator.credentials[0]?.id ?? '';
    const other = await app().seedUser();

    await expect(seedPasskey(app(), other, authenticatorFor(app()), { credentialId })).rejects.toMatchObject({
      code: 'PASSKEY_TAKEN',
    });
    expect((await passkeySignIn(app().client(), authenticator)).status).toBe(200);
  });

  test('a passkey gets the name of its authenticator if that is known, and its data say that it is backed up', async () => {
    const aaguid = 'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4';

    const { passkey } = await seedPasskeyUser(app(), { aaguid, isSynced: true });

    expect(passkey).toMatchObject({ name: 'Google Password Manager', backed_up: true, last_used_at: null });
  });
});

eachDatabase('the lifetime of a passkey challenge', (database) => {
  test('a challenge is accepted until it expires after five minutes', async (t) => {
    const app = await startApp(t, { database });
    const { authenticator } = await seedPasskeyUser(app);
    const client = app.client();
    const [late, inTime] = [await signInOptions(client), await signInOptions(client)];

    app.clock.advance(5 * MINUTE_MS - 5000);
    expect((await send(client, authenticator.get(inTime))).status).toBe(200);
    app.clock.advance(5000);
    expectError(await send(client, authenticator.get(late)), 'PASSKEY_REFUSED');
  });
});

eachDatabase('settings of passkeys', (database) => {
  test('PASSKEYS=off removes the routes', async (t) => {
    const app = await startApp(t, { database, settings: { PASSKEYS: 'off' } });

    expectError(await app.client().post('/authsvc/api/passkey/options', {}), 'NOT_FOUND');
    expectError(await send(app.client(), {}), 'NOT_FOUND');
  });

  test('an IP address as the host turns passkeys off, with a warning', async (t) => {
    const app = await startApp(t, { database, settings: { BASE_URL: 'http://127.0.0.1:3000' } });

    expectError(await app.client().post('/authsvc/api/passkey/options', {}), 'NOT_FOUND');
    expect(app.log().map(({ msg }) => msg)).toContainEqual(expect.stringContaining('passkeys are off'));
  });

  test('the origin is that of BASE_URL if the RP id is a parent domain', async (t) => {
    const settings = { BASE_URL: 'http://auth.localhost:3000', PASSKEY_RP_ID: 'localhost' };
    const app = await startApp(t, { database, settings });
    const user = await app.seedUser();
    const authenticator = authenticatorFor(app);
    await seedPasskey(app, user, authenticator, { rpId: 'localhost' });

    const parent = { rpId: 'localhost', origin: 'http://localhost:3000' };
    expectError(await passkeySignIn(app.client(), authenticator, parent), 'PASSKEY_REFUSED');
    expect((await passkeySignIn(app.client(), authenticator, { rpId: 'localhost' })).status).toBe(200);
  });

  test('a start with another RP id than that of existing passkeys is refused, unless passkeys are off', async (t) => {
    const fresh = await freshDatabase(database);
    t.onTestFinished(fresh.drop);
    const app = await startApp(t, { database: fresh });
    await seedPasskeyUser(app);
    const start = (settings: Record<string, string>) =>
      startApp(t, { database: fresh, settings: { BASE_URL: 'http://auth.localhost:3000', ...settings } });

    await expect(start({})).rejects.toThrow(/bound to localhost .* auth\.localhost.*PASSKEY_RP_ID=localhost/);
    await start({ PASSKEY_RP_ID: 'localhost' });
    await start({ PASSKEYS: 'off' });
  });
});
