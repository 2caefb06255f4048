import { expect, test } from 'vitest';
import { disableSecondFactor } from '../../src/factors/second-factor.ts';
import { MINUTE_MS } from '../../src/lib/clock.ts';
import { linkAccount } from '../../src/social/link-account.ts';
import { inviteUser } from '../../src/welcome/offer-link.ts';
import type { Client } from '../support/client.ts';
import { eachDatabase } from '../support/each-database.ts';
import { accountOf, change } from '../support/my-account.ts';
import { startOAuthServer } from '../support/oauth-server.ts';
import { type SeededUser, startApp, type TestApp } from '../support/start-app.ts';
import { codeOf, seedSecondFactorUser, sendCode, wrongCode, wrongCodes } from '../support/totp.ts';
import { start } from './social-support.ts';
import { expectError, sharedApp } from './support.ts';

const TWO_FACTOR = { AUTHSVC_TWO_FA_ENABLE: 'true' };
const EVERYONE = { ...TWO_FACTOR, SECOND_FACTOR: 'everyone' };
const DUE = { success: true, two_factor_required: true, enrolment_required: true };

const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/** Creates a browser in which the user has done the first step. */
async function begin(app: TestApp, user: SeededUser): Promise<Client> {
  const client = app.client();
  expect((await client.login(user)).body).toEqual(DUE);
  return client;
}

/** Creates the draft of an authenticator app, and returns its secret. */
async function draft(client: Client, options = {}): Promise<string> {
  const _csrf = await client.csrf('/authsvc/2fa');
  const reply = await client.post('/authsvc/api/2fa/enrol', { _csrf, ...options });
  expect(reply.status).toBe(200);
  return String(reply.body.secret);
}

const isHash = { code: 'SECOND_STEP_CODE_INCORRECT' };

eachDatabase('SECOND_FACTOR=everyone', (database) => {
  const app = sharedApp({ database, settings: EVERYONE });
  const eventsOf = ({ id }: SeededUser) =>
    app()
      .services.database.kysely.selectFrom('audit_events')
      .select(['event', 'actor_id'])
      .where('subject_id', '=', id)
      .where('event', 'not like', '%.refused')
      .orderBy('id')
      .execute();

  test('makes a user without a second factor set one up before the session begins, and shows recovery codes once', async () => {
    const user = await app().seedUser();
    const client = await begin(app(), user);
    expect(await client.isSignedIn()).toBe(false);
    expect((await client.page('/authsvc/2fa')).text).toContain('Set up an authenticator app');

    const secret = await draft(client);
    expect((await sendCode(client, wrongCode(app(), secret))).body).toMatchObject(isHash);
    expect(await client.isSignedIn()).toBe(false);
    const done = await sendCode(client, codeOf(app(), secret));

    expect(done.body).toMatchObject({ success: true, redirect_url: '/authsvc/' });
    expect(new Set(textsOf(done.body.recovery_codes)).size).toBe(10);
    expect(await accountOf(client)).toMatchObject({ two_factor_enabled: true, confirmed_until: expect.any(String) });
    expect(await eventsOf(user)).toEqual([
      { event: 'user.created', actor_id: null },
      { event: 'user.signed_in', actor_id: user.id },
      { event: 'factor.changed', actor_id: user.id },
    ]);
    const next = app().client();
    expect((await next.login(user)).body).toEqual({ success: true, two_factor_required: true });
    expect((await sendCode(next, codeOf(app(), secret))).body).toMatchObject(isHash);
    expect((await sendCode(next, textsOf(done.body.recovery_codes)[0])).body).not.toHaveProperty('recovery_codes');
    expect(await next.isSignedIn()).toBe(true);
  });

  test('after the first step, lets only users without a second factor set one up, and only with a CSRF token', async () => {
    const carol = await seedSecondFactorUser(app());
    const client = app().client();
    await client.login(carol);
    const _csrf = await client.csrf('/authsvc/2fa');

    expectError(await client.post('/authsvc/api/2fa/enrol', { _csrf }), 'SECOND_STEP_CODE_REQUIRED');
    expectError(await app().client().post('/authsvc/api/2fa/enrol', { _csrf }), 'FIRST_STEP_REQUIRED');
    const other = await begin(app(), await app().seedUser());
    expectError(await other.post('/authsvc/api/2fa/enrol', {}), 'CSRF_INVALID');
    expectError(await sendCode(other, '123456'), 'TOTP_NOT_STARTED');
    expectError(await sendCode(client, codeOf(app(), carol.secret, 3)), 'SECOND_STEP_CODE_INCORRECT');
  });

  test('ends a sign-in after five wrong codes or ten minutes; starting the setup again gives no new attempts', async () => {
    const client = await begin(app(), await app().seedUser());
    let secret = await draft(client);
    for (const code of wrongCodes(app(), secret).slice(0, 3)) await sendCode(client, code);
    secret = await draft(client);
    const _csrf = await client.csrf('/authsvc/2fa');
    const send = (token: string) => client.post('/authsvc/api/verify-2fa', { token, _csrf });
    for (const code of wrongCodes(app(), secret).slice(0, 2)) expect((await send(code)).body).toMatchObject(isHash);

    expectError(await send(codeOf(app(), secret)), 'FIRST_STEP_REQUIRED');

    const late = await begin(app(), await app().seedUser());
    const lateSecret = await draft(late);
    const token = await late.csrf('/authsvc/2fa');
    app().clock.advance(10 * MINUTE_MS);
    const reply = await late.post('/authsvc/api/verify-2fa', { token: codeOf(app(), lateSecret), _csrf: token });
    expectError(reply, 'FIRST_STEP_REQUIRED');
  });

  test('lets only one of two unfinished sign-ins of a user enrol, and ends the other', async () => {
    const user = await app().seedUser();
    const clients = [await begin(app(), user), await begin(app(), user)];
    const ready = await Promise.all(
      clients.map(async (client) => ({
        client,
        secret: await draft(client),
        _csrf: await client.csrf('/authsvc/2fa'),
      })),
    );

    const replies = await Promise.all(
      ready.map(({ client, secret, _csrf }) =>
        client.post('/authsvc/api/verify-2fa', { token: codeOf(app(), secret), _csrf }),
      ),
    );

    expect(replies.map(({ status }) => status).sort()).toEqual([200, 401]);
    expect((await eventsOf(user)).filter(({ event }) => event === 'factor.changed')).toHaveLength(1);
  });

  test('lets users replace but not remove their second factor, and asks for a new one if an operator removes it', async () => {
    const carol = await seedSecondFactorUser(app());
    const client = app().client();
    await client.login(carol);
    await sendCode(client, codeOf(app(), carol.secret));

    expectError(await change(client, 'DELETE', '/totp'), 'SECOND_FACTOR_REQUIRED');
    expect((await change(client, 'POST', '/totp')).status).toBe(200);
    await disableSecondFactor(app().change(), carol);

    expect(await client.isSignedIn()).toBe(true);
    await begin(app(), carol);
  });

  test('asks a user who chooses the first password by a link for a second factor too', async () => {
    const { settings, outbox, baseUrl } = app().services;
    const needs = { ...app().change(), settings, outbox, baseUrl: baseUrl() };
    const invite = async (name: string) => {
      const user = { name, role: 'normaluser' };
      const { link } = await inviteUser(needs, { user, hours: 1, isSent: false });
      return link?.split('/').at(-1) ?? '';
    };
    const [client, other] = [app().client(), app().client()];
    const new_password = 'another-horse-8';

    const reply = await client.post('/authsvc/api/welcome', { code: await invite('ida'), new_password });
    const sent = await other.request('POST', `/authsvc/welcome/${await invite('jo')}`, {
      raw: new URLSearchParams({ new_password }).toString(),
      type: 'application/x-www-form-urlencoded',
      headers: { accept: 'text/html' },
    });

    expect(reply.body).toMatchObject({ ...DUE, redirect_url: '/authsvc/2fa' });
    expect([sent.status, sent.headers.location]).toEqual([303, '/authsvc/2fa']);
    expect([await client.isSignedIn(), await other.isSignedIn()]).toEqual([false, false]);
    expect((await sendCode(client, codeOf(app(), await draft(client)))).status).toBe(200);
    expect(await client.isSignedIn()).toBe(true);
  });

  test('lets a trusted browser skip the code, but not the enrolment', async () => {
    const user = await app().seedUser();
    const client = await begin(app(), user);
    await sendCode(client, codeOf(app(), await draft(client)), { trust_device: true });
    await client.logout();
    expect((await client.login(user)).body).toMatchObject({ redirect_url: '/authsvc/' });

    await disableSecondFactor(app().change(), user);

    expect((await client.login(user)).body).toEqual(DUE);
  });

  test('asks for the enrolment after a sign-in through a provider', async (t) => {
    const codehost = await startOAuthServer(t);
    codehost.userEndpoint = { body: { id: 4711 } };
    const here = await startApp(t, { database, settings: { ...EVERYONE, ...codehost.settings } });
    const user = await here.seedUser();
    await linkAccount(here.change(), { provider: 'codehost', accountId: '4711', user });
    const client = here.client();

    const back = await client.page(codehost.agree(await start(client, 'codehost')));

    expect(back.headers.location).toBe('/authsvc/2fa');
    expect(await client.isSignedIn()).toBe(false);
    expect((await sendCode(client, codeOf(here, await draft(client)))).status).toBe(200);
  });
});

eachDatabase('SECOND_FACTOR=superadmin', (database) => {
  const app = sharedApp({ database, settings: { ...TWO_FACTOR, SECOND_FACTOR: 'superadmin' } });

  test('asks only superadmins', async () => {
    const client = await app().signIn(await app().seedUser());
    const carol = await seedSecondFactorUser(app());
    const asCarol = app().client();
    await asCarol.login(carol);
    await sendCode(asCarol, codeOf(app(), carol.secret));

    await begin(app(), await app().seedUser({ role: 'superadmin' }));

    expect(await client.isSignedIn()).toBe(true);
    expect((await change(asCarol, 'DELETE', '/totp')).status).toBe(200);
  });
});
