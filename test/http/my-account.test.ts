import { expect, test } from 'vitest';
import { readAuditEvents } from '../../src/events/list-events.ts';
import { MINUTE_MS } from '../../src/lib/clock.ts';
import { changeUser } from '../../src/users/change-user.ts';
import { eachDatabase } from '../support/each-database.ts';
import { accountOf, change, unconfirmed } from '../support/my-account.ts';
import { PASSWORD, startApp, type TestApp } from '../support/start-app.ts';
import { codeOf, seedSecondFactorUser, sendCode } from '../support/totp.ts';
import { expectError, sharedApp } from './support.ts';

const settings = { AUTHSVC_TWO_FA_ENABLE: 'true' };

/** Lists the audit events about a user, newest first. */
async function eventsOf(app: TestApp, userId: number) {
  await app.services.notes.finish();
  const pages = readAuditEvents(app.services.database, { userIds: [userId] });
  const events = [];
  for await (const page of pages) events.push(...page);
  return events;
}

eachDatabase("the user's own account", (database) => {
  const app = sharedApp({ database, settings });

  test('shows who is signed in, and since when', async () => {
    const ada = await app().seedUser({ fullName: 'Ada Lovelace', apps: ['authsvc', 'portal'] });

    const { body } = await (await app().signIn(ada)).get('/authsvc/api/account');

    expect(body).toEqual({
      success: true,
      account: {
        user_id: ada.id,
        username: ada.username,
        full_name: 'Ada Lovelace',
        image: '',
        role: 'normaluser',
        allowed_apps: ['authsvc', 'portal'],
        email: null,
        email_pending: null,
        has_password: true,
        two_factor_enabled: false,
        recovery_codes_left: 0,
        passkeys: 0,
        created_at: new Date(ada.createdAt).toISOString(),
        last_login_at: expect.stringMatching(/Z$/),
      },
      session: expect.objectContaining({ method: 'password', current: true }),
      confirmed_until: expect.stringMatching(/Z$/),
    });
  });

  test('refuses any Authorization header, even with a session; without a session the reply is 401', async () => {
    const client = await app().signIn(await app().seedUser());
    for (const authorization of ['Bearer tok_1', 'Basic YTpi', 'x']) {
      const headers = { authorization };
      expectError(await client.get('/authsvc/api/account', { headers }), 'SESSION_REQUIRED');
      expectError(await app().client().get('/authsvc/api/account', { headers }), 'SESSION_REQUIRED');
      expectError(await change(client, 'POST', '/sessions/end-others', {}, { headers }), 'SESSION_REQUIRED');
    }
    expectError(await app().client().get('/authsvc/api/account'), 'NOT_SIGNED_IN');
    expectError(await app().client().post('/authsvc/api/account/confirm', {}), 'NOT_SIGNED_IN');
  });

  test('refuses in this order: no session, over the limit, invalid field, no CSRF token, no confirmation', async () => {
    const user = await app().seedUser();
    const client = await unconfirmed(app(), user);
    const address = '198.19.0.1';
    const bad = (headers: Record<string, string> = {}) =>
      client.request('PATCH', '/authsvc/api/account', { json: { image: 'x' }, address, headers });

    for (let at = 0; at < 30; at += 1) expectError(await bad(), 'FIELD_INVALID', 'image');
    expectError(await bad(), 'TOO_MANY_REQUESTS');
    expectError(await bad({ authorization: 'Bearer x' }), 'SESSION_REQUIRED');
    expectError(await app().client().request('PATCH', '/authsvc/api/account', { json: {}, address }), 'NOT_SIGNED_IN');
    expectError(await client.post('/authsvc/api/account/totp', {}), 'CSRF_INVALID');
    expect((await change(client, 'POST', '/totp')).body.code).toBe('CONFIRMATION_REQUIRED');
  });

  test('needs the CSRF token of this browser for a change, in the body or in the header', async () => {
    const client = await app().signIn(await app().seedUser({ fullName: 'Before' }));
    const foreign = await app().client().csrf();
    const patch = (json: object, headers = {}) => client.request('PATCH', '/authsvc/api/account', { json, headers });

    expectError(await patch({ full_name: 'After' }), 'CSRF_INVALID');
    expectError(await patch({ full_name: 'After' }, { 'x-csrf-token': foreign }), 'CSRF_INVALID');
    expectError(await patch({ full_name: 'After', _csrf: foreign }), 'CSRF_INVALID');
    expect((await accountOf(client)).full_name).toBe('Before');
    expect((await patch({ full_name: 'After', _csrf: await client.csrf() })).status).toBe(200);
    expect((await accountOf(client)).full_name).toBe('After');
  });

  test('lets the user change name and picture and nothing else, and the change is in the audit log', async () => {
    const ada = await app().seedUser();
    const client = await app().signIn(ada);
    const image = 'https://pictures.example/ada.png';

    const { body } = await change(client, 'PATCH', '', {
      full_name: ' Ada ',
      image,
      role: 'superadmin',
      username: 'x',
    });

    expect(body.account).toMatchObject({ full_name: 'Ada', image, role: 'normaluser', username: ada.username });
    const [event] = await eventsOf(app(), ada.id);
    expect(event).toMatchObject({ event: 'user.updated', actor_type: 'user', actor_id: ada.id });
    expect(event?.details).toMatchObject({ fields: ['full_name', 'image'] });
    expect((await change(client, 'PATCH', '', { image: '' })).body.account).toMatchObject({
      full_name: 'Ada',
      image: '',
    });
    for (const [field, value] of [
      ['image', 'javascript:alert(1)'],
      ['image', '//pictures.example/x'],
      ['full_name', 'x'.repeat(256)],
      ['full_name', 'a\u202eb'],
      ['full_name', null],
      ['image', null],
    ] as const)
      expectError(await change(client, 'PATCH', '', { [field]: value }), 'FIELD_INVALID', field);
  });

  test('with PROFILE_EDIT=off refuses a change of name or picture', async (t) => {
    const locked = await startApp(t, { database, settings: { PROFILE_EDIT: 'off' } });
    const client = await locked.signIn(await locked.seedUser());

    expectError(await change(client, 'PATCH', '', { full_name: 'New' }), 'PROFILE_LOCKED');
  });

  test('is confirmed by a password for ten minutes, in this session only, until an account switch', async () => {
    const ada = await app().seedUser();
    const client = await unconfirmed(app(), ada);
    const other = await unconfirmed(app(), ada);
    const refused = await change(client, 'POST', '/totp');
    expect([refused.status, refused.body.ways]).toEqual([403, ['password']]);
    expect((await accountOf(client)).confirmed_until).toBeNull();

    expectError(await change(client, 'POST', '/confirm', { password: 'wrong-horse-1' }), 'CONFIRMATION_FAILED');
    expectError(await change(client, 'POST', '/confirm', { token: '123456' }), 'CONFIRMATION_FAILED');
    const { status, body } = await change(client, 'POST', '/confirm', { password: PASSWORD });

    expect(status).toBe(200);
    expect(Date.parse(String(body.confirmed_until)) - app().clock.now()).toBeLessThanOrEqual(10 * MINUTE_MS);
    expect((await accountOf(client)).confirmed_until).toBe(body.confirmed_until);
    expect((await change(client, 'POST', '/totp')).status).toBe(200);
    expect((await change(other, 'POST', '/totp')).body.code).toBe('CONFIRMATION_REQUIRED');
    const { current_session_id: id } = (await client.get('/authsvc/api/account-sessions')).body;
    expect((await client.post('/authsvc/api/switch-session', { session_id: id })).status).toBe(200);
    expect((await change(client, 'POST', '/totp')).body.code).toBe('CONFIRMATION_REQUIRED');
    const [event] = await eventsOf(app(), ada.id);
    expect(event).toMatchObject({ event: 'request.refused' });
    const refusals = (await eventsOf(app(), ada.id)).filter(({ event: name }) => name === 'confirmation.refused');
    expect(refusals.map(({ details }) => details.method).sort()).toEqual(['password', 'totp']);
  });

  test('refuses a confirmation with no proof or several proofs', async () => {
    const client = await app().signIn(await app().seedUser());

    expectError(await change(client, 'POST', '/confirm', {}), 'MISSING_REQUIRED_FIELD');
    expectError(await change(client, 'POST', '/confirm', { password: PASSWORD, token: '1' }), 'FIELD_INVALID');
  });

  test('with a second factor is confirmed by a code, once, and not by the password', async () => {
    const carol = await seedSecondFactorUser(app());
    const client = app().client();
    await client.login(carol);
    await sendCode(client, codeOf(app(), carol.secret, -1), { trust_device: true });
    expect((await change(client, 'POST', '/recovery-codes')).status).toBe(200);

    const trusting = client.clone();
    await trusting.login(carol);
    const refused = await change(trusting, 'POST', '/recovery-codes');

    expect([refused.body.code, refused.body.ways]).toEqual(['CONFIRMATION_REQUIRED', ['totp']]);
    expectError(await change(trusting, 'POST', '/confirm', { password: PASSWORD }), 'CONFIRMATION_FAILED');
    expectError(await change(trusting, 'POST', '/confirm', { token: 'what' }), 'CONFIRMATION_FAILED');
    const code = codeOf(app(), carol.secret);
    expect((await change(trusting, 'POST', '/confirm', { token: ` ${code} ` })).status).toBe(200);
    expectError(await change(trusting, 'POST', '/confirm', { token: code }), 'CONFIRMATION_FAILED');
    const { recovery_codes: codes } = (await change(trusting, 'POST', '/recovery-codes')).body;
    const [recovery] = Array.isArray(codes) ? codes : [];
    expect((await change(trusting, 'POST', '/confirm', { token: recovery })).status).toBe(200);
    expectError(await change(trusting, 'POST', '/confirm', { token: recovery }), 'CONFIRMATION_FAILED');
    expect((await accountOf(trusting)).recovery_codes_left).toBe(9);
  });

  test('accepts only one of many simultaneous confirmations with one recovery code', async () => {
    const carol = await seedSecondFactorUser(app());
    const [token, ...others] = carol.recoveryCodes;
    const clients = others.slice(0, 3).map(() => app().client());
    for (const [at, client] of clients.entries()) {
      await client.login(carol);
      await sendCode(client, others[at]);
    }

    const replies = await Promise.all(clients.map((client) => change(client, 'POST', '/confirm', { token })));

    expect(replies.map(({ status }) => status).sort()).toEqual([200, 403, 403]);
  });

  test('treats a deactivated user as not signed in', async () => {
    const ada = await app().seedUser();
    const client = await app().signIn(ada);
    await changeUser(app().change(), ada.username, { isActive: false });

    expectError(await client.get('/authsvc/api/account'), 'NOT_SIGNED_IN');
    expectError(await change(client, 'PATCH', '', { full_name: 'x' }), 'NOT_SIGNED_IN');
  });
});
