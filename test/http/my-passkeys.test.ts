import { expect, test } from 'vitest';
import { listAuditEvents } from '../../src/events/list-events.ts';
import {
  type Authenticator,
  authenticatorFor,
  type Lies,
  passkeySignIn,
  seedPasskey,
  seedPasskeyUser,
} from '../support/authenticator.ts';
import type { Client, Reply } from '../support/client.ts';
import { eachDatabase, freshDatabase } from '../support/each-database.ts';
import { accountOf, change, unconfirmed } from '../support/my-account.ts';
import { startApp } from '../support/start-app.ts';
import { seedSecondFactorUser } from '../support/totp.ts';
import { expectError, sharedApp } from './support.ts';

const passkeysOf = async (client: Client): Promise<Record<string, unknown>[]> => {
  const { passkeys } = (await client.get('/authsvc/api/account/passkeys')).body;
  return Array.isArray(passkeys) ? passkeys : [];
};

async function optionsOf(client: Client, path: '/passkeys/options' | '/confirm/options') {
  const { body, text } = await change(client, 'POST', path);
  const { challenge, user, ...rest } = Object(body.options);
  if (typeof challenge !== 'string') throw new Error(`no options: ${text}`);
  return { ...rest, challenge, user: { ...Object(user), id: String(Object(user).id) } };
}

async function add(
  client: Client,
  authenticator: Authenticator,
  { name, ...lies }: Lies & { name?: unknown } = {},
): Promise<Reply> {
  const response = authenticator.create(await optionsOf(client, '/passkeys/options'), lies);
  return change(client, 'POST', '/passkeys', { response, ...(name === undefined ? {} : { name }) });
}

const refOf = ({ body }: Reply): string => String(Object(body.passkey).ref);

eachDatabase("the user's own passkeys", (database) => {
  const app = sharedApp({ database, settings: { AUTHSVC_TWO_FA_ENABLE: 'true' } });

  test('the options name the user by a random handle, and list the existing passkeys', async () => {
    const user = await app().seedUser({ fullName: 'Ada Lovelace' });
    const client = await app().signIn(user);
    const authenticator = authenticatorFor(app());
    await seedPasskey(app(), user, authenticator);

    const options = await optionsOf(client, '/passkeys/options');

    expect(options).toEqual({
      rp: { id: 'localhost', name: 'authsvc' },
      user: { id: expect.stringMatching(/^[\w-]{86}$/), name: user.username, displayName: 'Ada Lovelace' },
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      pubKeyCredParams: [-7, -8, -257].map((alg) => ({ type: 'public-key', alg })),
      timeout: 300_000,
      attestation: 'none',
      excludeCredentials: [{ type: 'public-key', id: authenticator.credentials[0]?.id, transports: ['internal'] }],
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    });
    expect((await optionsOf(client, '/passkeys/options')).user.id).toBe(options.user.id);
  });

  test('a passkey is added, listed, renamed and removed, each with its event', async () => {
    const user = await app().seedUser();
    const client = await app().signIn(user);
    const authenticator = authenticatorFor(app());

    const added = await add(client, authenticator, { name: ' Phone ' });
    const ref = refOf(added);

    expect([added.status, added.body]).toEqual([
      201,
      {
        success: true,
        passkey: { ref, name: 'Phone', created_at: expect.any(String), last_used_at: null, backed_up: false },
      },
    ]);
    expect((await accountOf(client)).passkeys).toBe(1);
    expect((await passkeySignIn(app().client(), authenticator)).status).toBe(200);
    expect((await change(client, 'PATCH', `/passkeys/${ref}`, { name: 'Old phone' })).body).toEqual({ success: true });
    const [listed] = await passkeysOf(client);
    expect(listed).toMatchObject({ ref, name: 'Old phone', last_used_at: expect.any(String) });
    expect(JSON.stringify(listed)).not.toContain(authenticator.credentials[0]?.id);
    expect((await change(client, 'DELETE', `/passkeys/${ref}`)).body).toEqual({ success: true });
    expect(await passkeysOf(client)).toEqual([]);
    const { events } = await listAuditEvents(app().services.database, { userIds: [user.id] }, { limit: 50 });
    const changes = events.filter(({ event }) => event === 'factor.changed').map(({ details }) => details.change);
    expect(changes).toEqual(['removed', 'renewed', 'added']);
  });

  test('a passkey that already has the new name is not changed, and no event is recorded', async () => {
    const { user, passkey } = await seedPasskeyUser(app());
    const client = await app().signIn(user);
    const stateOf = async () => {
      const { events } = await listAuditEvents(app().services.database, { userIds: [user.id] }, { limit: 50 });
      return [(await app().user(user.username))?.version, events.length];
    };
    const before = await stateOf();

    const reply = await change(client, 'PATCH', `/passkeys/${passkey.ref}`, { name: passkey.name });

    expect(reply.body).toEqual({ success: true });
    expect(await stateOf()).toEqual(before);
  });

  const lies: Record<string, Lies> = {
    'another origin': { origin: 'http://evil.example' },
    'another RP id': { rpId: 'evil.example' },
    'the type of a sign-in': { type: 'webauthn.get' },
    'no user presence': { isPresent: false },
    'no user verification': { isVerified: false },
    'a challenge of its own': { challenge: Buffer.alloc(32, 7).toString('base64url') },
    'an enclosing page of another origin': { crossOrigin: true },
  };

  test.each(Object.keys(lies))('an answer with %s adds no passkey', async (what) => {
    const client = await app().signIn(await app().seedUser());

    expectError(await add(client, authenticatorFor(app()), lies[what]), 'PASSKEY_INVALID', 'response');
    expect(await passkeysOf(client)).toEqual([]);
  });

  test('a challenge works once, for one purpose, in one session', async () => {
    const user = await app().seedUser();
    const [client, elsewhere] = [await app().signIn(user), await app().signIn(user)];
    const authenticator = authenticatorFor(app());
    const send = (by: Client, response: unknown) => change(by, 'POST', '/passkeys', { response });

    const first = authenticator.create(await optionsOf(client, '/passkeys/options'));
    expect((await send(client, first)).status).toBe(201);
    expectError(await send(client, first), 'PASSKEY_INVALID', 'response');
    const foreign = authenticator.create(await optionsOf(elsewhere, '/passkeys/options'));
    expectError(await send(client, foreign), 'PASSKEY_INVALID', 'response');
    const { challenge } = await optionsOf(client, '/confirm/options');
    const crossed = authenticator.create({ challenge, user: { id: 'AAAA' } });
    expectError(await send(client, crossed), 'PASSKEY_INVALID', 'response');
  });

  test('an existing credential id, an invalid name and a 21st passkey are refused', async () => {
    const user = await app().seedUser();
    const client = await app().signIn(user);
    const { authenticator: other } = await seedPasskeyUser(app());

    const taken = await add(client, authenticatorFor(app()), { credentialId: other.credentials[0]?.id ?? '' });
    expectError(taken, 'PASSKEY_TAKEN');
    for (const name of ['', '   ', 'x'.repeat(65), 7])
      expect((await change(client, 'POST', '/passkeys', { name, response: {} })).status).toBe(400);
    for (let i = 0; i < 20; i += 1) await seedPasskey(app(), user, authenticatorFor(app()));
    expectError(await add(client, authenticatorFor(app())), 'LIMIT_REACHED');
  });

  test('other users find no passkey, and without a confirmation nothing changes', async () => {
    const { user, passkey } = await seedPasskeyUser(app());
    const stranger = await app().signIn(await app().seedUser());
    const path = `/passkeys/${passkey.ref}`;

    expectError(await change(stranger, 'PATCH', path, { name: 'mine' }), 'REF_UNKNOWN');
    expectError(await change(stranger, 'DELETE', path), 'REF_UNKNOWN');
    const client = await unconfirmed(app(), user);
    for (const reply of [
      await change(client, 'DELETE', path),
      await change(client, 'PATCH', path, { name: 'x' }),
      await change(client, 'POST', '/passkeys/options'),
      await change(client, 'POST', '/passkeys', { response: {} }),
    ])
      expect([reply.body.code, reply.body.ways]).toEqual(['CONFIRMATION_REQUIRED', ['passkey', 'password']]);
    expect(await passkeysOf(client)).toHaveLength(1);
  });

  test('the removal of a passkey ends the sessions that it opened, except the session that removes it', async () => {
    const { authenticator, passkey } = await seedPasskeyUser(app());
    const [here, there] = [app().client(), app().client()];
    await passkeySignIn(here, authenticator);
    await passkeySignIn(there, authenticator);

    expect((await change(here, 'DELETE', `/passkeys/${passkey.ref}`)).status).toBe(200);

    expect([await here.isSignedIn(), await there.isSignedIn()]).toEqual([true, false]);
  });

  test('the last way to sign in cannot be removed, even if two requests at once remove one each', async () => {
    const { user, authenticator } = await seedPasskeyUser(app());
    await seedPasskey(app(), user, authenticatorFor(app()));
    const { kysely } = app().services.database;
    await kysely.updateTable('users').set({ password_hash: '' }).where('id', '=', user.id).execute();
    const client = app().client();
    await passkeySignIn(client, authenticator);
    const refs = (await passkeysOf(client)).map(({ ref }) => String(ref));

    const replies = await Promise.all(refs.map((ref) => change(client, 'DELETE', `/passkeys/${ref}`)));

    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(replies.map(({ body }) => body.code)).toContain('LAST_WAY_IN');
    expect(await passkeysOf(client)).toHaveLength(1);
  });

  test('a passkey confirms only a session of its own user', async () => {
    const user = await seedSecondFactorUser(app());
    const authenticator = authenticatorFor(app());
    await seedPasskey(app(), user, authenticator);
    const other = await seedPasskeyUser(app());
    const client = app().client();
    await passkeySignIn(client, authenticator);
    expect((await change(client, 'POST', '/recovery-codes')).status).toBe(200);
    await app().services.database.kysely.updateTable('sessions').set({ confirmed_until: null }).execute();
    const confirm = (response: unknown) => change(client, 'POST', '/confirm', { response });

    const refused = await change(client, 'POST', '/recovery-codes');
    expect(refused.body.ways).toEqual(['passkey', 'totp']);
    const options = await optionsOf(client, '/confirm/options');
    expect(options.allowCredentials).toEqual([
      { type: 'public-key', id: authenticator.credentials[0]?.id, transports: ['internal'] },
    ]);
    expectError(await confirm(authenticator.get(options, { isVerified: false })), 'CONFIRMATION_FAILED');
    expectError(await confirm(authenticator.get(options)), 'CONFIRMATION_FAILED');
    const forOther = await optionsOf(client, '/confirm/options');
    expectError(await confirm(other.authenticator.get(forOther)), 'CONFIRMATION_FAILED');
    const good = await optionsOf(client, '/confirm/options');
    expect((await confirm(authenticator.get(good))).body.confirmed_until).toMatch(/Z$/);
    expect((await change(client, 'POST', '/recovery-codes')).status).toBe(200);
    const both = await change(client, 'POST', '/confirm', { response: {}, password: 'x' });
    expectError(both, 'FIELD_INVALID', 'password');
  });

  test('a user without passkeys cannot confirm with one', async () => {
    const client = await app().signIn(await app().seedUser());

    expectError(await change(client, 'POST', '/confirm/options'), 'CONFIRMATION_FAILED');
  });
});

eachDatabase("the user's own passkeys while passkeys are off", (database) => {
  test('have no routes and do not count, but stay in the database', async (t) => {
    const fresh = await freshDatabase(database);
    t.onTestFinished(fresh.drop);
    const before = await startApp(t, { database: fresh });
    const user = await before.seedUser();
    await seedPasskey(before, user, authenticatorFor(before));
    const app = await startApp(t, { database: fresh, settings: { PASSKEYS: 'off' } });
    const client = await app.signIn(user);

    expectError(await client.get('/authsvc/api/account/passkeys'), 'NOT_FOUND');
    expectError(await change(client, 'POST', '/passkeys/options'), 'NOT_FOUND');
    expectError(await change(client, 'POST', '/confirm/options'), 'NOT_FOUND');
    expect((await accountOf(client)).passkeys).toBe(0);
    expect((await accountOf(await before.signIn(user))).passkeys).toBe(1);
  });
});
