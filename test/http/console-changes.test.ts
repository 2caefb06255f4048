import { expect, test, vi } from 'vitest';
import { endUserSessions } from '../../src/sessions/end-sessions.ts';
import { changeUser } from '../../src/users/change-user.ts';
import { setPasswordHash } from '../../src/users/queries.ts';
import { removeUser } from '../../src/users/remove-user.ts';
import type { Client, Reply, RequestOptions } from '../support/client.ts';
import { createToken } from '../support/device-login.ts';
import { eachDatabase } from '../support/each-database.ts';
import { startMailServer } from '../support/mail-server.ts';
import { unconfirmed } from '../support/my-account.ts';
import { type SeededUser, startApp } from '../support/start-app.ts';
import { seedSecondFactorUser } from '../support/totp.ts';
import { expectError, sharedApp } from './support.ts';

const ADMIN = '/authsvc/api/admin';
type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';
type Fields = Record<string, unknown>;

const fieldsOf = (value: unknown): Fields => Object(value);
const itemsOf = (reply: Reply): Fields[] => (Array.isArray(reply.body.items) ? reply.body.items : []);

/** Checks that an instant, minus `spanMs`, is between two other instants. */
function expectBetween(instant: unknown, from: number, to: number, spanMs: number): void {
  const at = Date.parse(String(instant)) - spanMs;
  expect([at >= from, at <= to]).toEqual([true, true]);
}

eachDatabase('changes in the console', (database) => {
  const settings = {
    RATE_LIMITS: 'off',
    env: 'dev',
    AUTHSVC_TWO_FA_ENABLE: 'true',
    CODEHOST_LOGIN_ENABLED: 'true',
    CODEHOST_APP_CLIENT_ID: 'id',
    CODEHOST_APP_CLIENT_SECRET: 'secret',
  };
  const app = sharedApp({ database, settings });
  let superadmin: Promise<{ user: SeededUser; client: Client; csrf: string }> | undefined;
  const signInRoot = async () => {
    const user = await app().seedUser({ role: 'superadmin' });
    const client = await app().signIn(user);
    return { user, client, csrf: await client.csrf() };
  };
  const root = () => (superadmin ??= signInRoot());
  const ask = async (method: Method, path: string, json?: unknown, options: RequestOptions = {}) => {
    const { client, csrf } = await root();
    const headers = { 'x-csrf-token': csrf, ...options.headers };
    return client.request(method, ADMIN + path, { ...(json === undefined ? {} : { json }), ...options, headers });
  };
  const askByToken = async () => {
    const { client } = await root();
    const { token } = await createToken(client, { scope: 'admin' });
    return (method: Method, path: string, json?: unknown) =>
      app()
        .client()
        .request(method, ADMIN + path, {
          ...(json === undefined ? {} : { json }),
          headers: { authorization: `Bearer ${token}` },
        });
  };
  const show = async (id: number) => fieldsOf((await ask('GET', `/users/${id}`)).body.user);
  const events = async (user: { username: string }) => itemsOf(await ask('GET', `/audit?user=${user.username}`));

  test('accept the CSRF token in the body too, also where the body has no other field', async () => {
    const user = await app().seedUser();
    await app().signIn(user);
    const { client, csrf: _csrf } = await root();
    const send = (method: Method, path: string, json?: object) =>
      client.request(method, ADMIN + path, json === undefined ? {} : { json });
    const { version } = await show(user.id);
    const path = `/users/${user.id}`;

    expectError(await send('POST', `${path}/end-sessions`), 'CSRF_INVALID');
    expect((await send('POST', `${path}/end-sessions`, { _csrf })).body).toEqual({ success: true, ended: 1 });
    expectError(await send('DELETE', `${path}?version=${version}`, { _csrf: 'wrong' }), 'CSRF_INVALID');
    expect((await send('DELETE', `${path}?version=${version}`, { _csrf })).status).toBe(200);
  });

  test('need the CSRF token and a confirmed session, but the input is checked first', async () => {
    const { id } = await app().seedUser();
    const { user } = await root();
    const late = await unconfirmed(app(), user);
    const csrf = { 'x-csrf-token': await late.csrf() };
    const change = (json: object, headers: Record<string, string> = {}, path = `/users/${id}`) =>
      late.request('PATCH', ADMIN + path, { json, headers });

    expectError(await change({ version: 1, role: 'emperor' }), 'FIELD_INVALID', 'role');
    expectError(await change({ full_name: 'x' }), 'MISSING_REQUIRED_FIELD', 'version');
    expectError(await change({ version: 1, full_name: 'x' }), 'CSRF_INVALID');
    const refused = await change({ version: 1, full_name: 'x' }, csrf, '/users/999999');
    expect([refused.status, refused.body.code, refused.body.ways]).toEqual([
      403,
      'CONFIRMATION_REQUIRED',
      ['password'],
    ]);
    expect((await show(id)).version).toBe(1);
    expectError(await ask('PATCH', '/users/999999', { version: 1, full_name: 'x' }), 'USER_NOT_FOUND');
  });

  test('add a user without a password, and invite and reset by links', async () => {
    const added = await ask('POST', '/users', {
      username: `Invited-${database}`,
      full_name: 'Ida',
      email: 'ida@example.com',
    });
    expect(added.status).toBe(201);
    const user = fieldsOf(added.body.user);
    expect(user).toMatchObject({
      full_name: 'Ida',
      role: 'normaluser',
      allowed_apps: ['authsvc'],
      email: 'ida@example.com',
      has_password: false,
      is_active: true,
      version: 1,
      connections: [],
    });
    expectError(await ask('POST', '/users', { username: `invited-${database}` }), 'USERNAME_TAKEN', 'username');
    expectError(await ask('POST', '/users', { username: 'stats' }), 'USERNAME_INVALID', 'username');
    expectError(await ask('POST', '/users', { username: 'x', email: 'no' }), 'EMAIL_INVALID', 'email');

    const from = app().clock.now();
    const invited = await ask('POST', `/users/${user.id}/invite`, { hours: 1.5 });
    expect(invited.status).toBe(201);
    expectBetween(invited.body.expires_at, from, app().clock.now(), 1.5 * 3_600_000);
    const reset = await ask('POST', `/users/${user.id}/reset`, {});
    const code = String(reset.body.link).split('/').at(-1);
    const chosen = await app().client().post('/authsvc/api/welcome', { code, new_password: 'left-horse-7' });
    expect(chosen.status).toBe(200);
    expectError(await ask('POST', `/users/${user.id}/invite`, {}), 'USER_HAS_WAY_IN');
    expectError(await ask('POST', `/users/${user.id}/invite`, { hours: 721 }), 'FIELD_INVALID', 'hours');
    expectError(await ask('POST', '/users/999999/reset', {}), 'USER_NOT_FOUND');
  });

  test('mail an invitation or a reset instead of showing its link', async (t) => {
    const mail = await startMailServer();
    t.onTestFinished(mail.close);
    const own = await startApp(t, { database, settings: { ...settings, ...mail.settings } });
    const client = await own.signIn(await own.seedUser({ role: 'superadmin' }));
    const csrf = await client.csrf();
    const post = (path: string, json: Fields) =>
      client.request('POST', `${ADMIN}/users/${path}`, { json, headers: { 'x-csrf-token': csrf } });
    const ida = await own.seedUser({ username: 'ida' });
    await changeUser(own.change(), 'ida', { email: { address: 'ida@example.com', key: 'ida@example.com' } });
    const eva = await own.seedUser({ username: 'eva' });

    const reset = await post(`${ida.id}/reset`, { send: true });
    await setPasswordHash.run(own.services.database, { id: ida.id, hash: '' });
    const invited = await post(`${ida.id}/invite`, { send: true });

    for (const { status, body } of [reset, invited])
      expect([status, body]).toEqual([201, { success: true, link: null, expires_at: expect.any(String) }]);
    await vi.waitUntil(() => mail.mails.some(({ text }) => text.includes('/authsvc/welcome/')), { timeout: 20_000 });
    expect(mail.mails.flatMap(({ to }) => to)).toContain('ida@example.com');
    expectError(await post(`${eva.id}/reset`, { send: true }), 'EMAIL_MISSING');
    expectError(await ask('POST', `/users/${(await app().seedUser()).id}/reset`, { send: true }), 'MAIL_OFF');
    expectError(await post(`${ida.id}/reset`, { send: 'yes' }), 'FIELD_INVALID', 'send');
  });

  test('change a user only if the request names the current version, and else return the current record', async () => {
    const user = await app().seedUser({ fullName: 'Same' });
    const client = await app().signIn(user);
    const path = `/users/${user.id}`;
    const same = await ask('PATCH', path, { version: 1, full_name: 'Same', role: 'normaluser', is_active: true });
    expect([same.status, fieldsOf(same.body.user).version]).toEqual([200, 1]);
    await changeUser(app().change(), user.username, { fullName: 'Ada' });

    const outdated = await ask('PATCH', path, { version: 1, role: 'superadmin' });
    expect([outdated.status, outdated.body.code]).toEqual([409, 'CHANGED_MEANWHILE']);
    expect(outdated.body.current).toEqual(await show(user.id));
    expectError({ ...outdated, body: { ...outdated.body, current: undefined } }, 'CHANGED_MEANWHILE');
    for (const version of [0, 1]) {
      expect((await ask('DELETE', `${path}?version=${version}`)).body.code).toBe('CHANGED_MEANWHILE');
      expect((await ask('PATCH', path, { version, full_name: 'x' })).body.code).toBe('CHANGED_MEANWHILE');
    }

    const changed = await ask('PATCH', path, { version: 2, is_active: false, email: null, allowed_apps: [] });
    expect(changed.body.user).toEqual(await show(user.id));
    expect(fieldsOf(changed.body.user)).toMatchObject({ version: 3, is_active: false, allowed_apps: [] });
    expect(await client.isSignedIn()).toBe(false);
    expect((await ask('DELETE', `${path}?version=3`)).status).toBe(200);
    expectError(await ask('DELETE', `${path}?version=3`), 'USER_NOT_FOUND');
    expectError(await ask('DELETE', path), 'MISSING_REQUIRED_FIELD', 'version');
    const { user: by } = await root();
    expect((await events(user)).map(({ event, actor_name }) => [event, actor_name])).toEqual([
      ['user.removed', by.username],
      ['user.deactivated', by.username],
      ['user.updated', null],
      ['user.signed_in', user.username],
      ['user.created', null],
    ]);
  });

  test('of two simultaneous changes, only one succeeds', async () => {
    const user = await app().seedUser();
    const change = (fields: object) => ask('PATCH', `/users/${user.id}`, { version: 1, ...fields });

    const replies = await Promise.all([change({ full_name: 'First' }), change({ image: 'https://example.com/a' })]);

    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
    const [first] = replies;
    expect(await show(user.id)).toMatchObject({ version: 2, full_name: first?.status === 200 ? 'First' : '' });
  });

  test('end sessions of a user, or one session by its ref', async () => {
    const user = await app().seedUser();
    const [one, two] = [await app().signIn(user), await app().signIn(user)];
    const [newest] = itemsOf(await ask('GET', `/sessions?user_id=${user.id}`));

    expect((await ask('DELETE', `/sessions/${newest?.ref}`)).status).toBe(200);
    expect([await one.isSignedIn(), await two.isSignedIn()]).toEqual([true, false]);
    expectError(await ask('DELETE', `/sessions/${newest?.ref}`), 'REF_UNKNOWN');
    expect((await ask('POST', `/users/${user.id}/end-sessions`)).body).toEqual({ success: true, ended: 1 });
    expect((await ask('POST', `/users/${user.id}/end-sessions`)).body.ended).toBe(0);
    const ends = (await events(user)).filter(({ event }) => event === 'session.ended');
    expect(ends.map(({ details }) => details)).toEqual([
      { reason: 'admin', sessions: 1 },
      { reason: 'admin', sessions: 1 },
    ]);
  });

  test('refer to sessions by refs, which are listed page by page with no session id in the cursor', async () => {
    const user = await app().seedUser();
    await app().signIn(user);
    await app().signIn(user);
    const ids = await app()
      .services.database.kysely.selectFrom('sessions')
      .select(['id', 'ref'])
      .where('user_id', '=', user.id)
      .execute();

    const first = await ask('GET', `/sessions?user_id=${user.id}&limit=1`);
    const second = await ask('GET', `/sessions?user_id=${user.id}&limit=1&after=${first.body.next}`);

    const cursor = Buffer.from(String(first.body.next), 'base64url').toString();
    for (const { id } of ids) expect(cursor).not.toContain(id);
    const shown = [...itemsOf(first), ...itemsOf(second)].map(({ ref }) => ref);
    expect(shown.sort()).toEqual(ids.map(({ ref }) => ref).sort());
    expect(second.body.next).toBeNull();
  });

  test('remove a second factor and trusted browsers, and connect provider accounts', async () => {
    const user = await seedSecondFactorUser(app());
    const path = `/users/${user.id}`;
    expect(fieldsOf((await ask('DELETE', `${path}/totp`)).body.user).two_factor_enabled).toBe(false);
    expectError(await ask('DELETE', `${path}/totp`), 'REF_UNKNOWN');
    expectError(await ask('DELETE', `${path}/trusted-browsers`), 'REF_UNKNOWN');

    const account = { provider: 'codehost', account_id: ` ${user.id}01 ` };
    const connected = await ask('POST', `${path}/connections`, account);
    expect([connected.status, fieldsOf(connected.body.user).connections]).toEqual([
      201,
      [{ provider: 'codehost', account_id: `${user.id}01`, created_at: expect.any(String) }],
    ]);
    const other = await app().seedUser();
    expectError(await ask('POST', `/users/${other.id}/connections`, account), 'CONNECTION_TAKEN');
    expectError(await ask('POST', `${path}/connections`, { ...account, account_id: '2' }), 'CONNECTION_EXISTS');
    expectError(await ask('POST', `${path}/connections`, { ...account, provider: 'x' }), 'FIELD_INVALID', 'provider');
    expectError(
      await ask('POST', `${path}/connections`, { ...account, account_id: ' ' }),
      'FIELD_INVALID',
      'account_id',
    );
    expect((await ask('DELETE', `${path}/connections/codehost`)).status).toBe(200);
    expectError(await ask('DELETE', `${path}/connections/codehost`), 'REF_UNKNOWN');
    expectError(await ask('DELETE', `${path}/connections/unknown`), 'REF_UNKNOWN');
  });

  test('revoke a token, and add, disable and enable a profile', async () => {
    const user = await app().seedUser();
    const { id } = await createToken(await app().signIn(user));
    expect((await ask('DELETE', `/tokens/${id}`)).status).toBe(200);
    expectError(await ask('DELETE', `/tokens/${id}`), 'TOKEN_NOT_FOUND');

    const key = `tools-${database}`;
    const added = await ask('POST', '/profiles', { name: 'Tools', key, scope: 'write', expires_in_days: 5 });
    expect([added.status, added.body.profile]).toEqual([
      201,
      expect.objectContaining({ key, scope: 'write', allowed_apps: ['authsvc'], is_active: true }),
    ]);
    expectError(await ask('POST', '/profiles', { name: 'Tools', key }), 'PROFILE_KEY_TAKEN');
    expectError(await ask('POST', '/profiles', { name: 'Tools', scope: 'admin' }), 'FIELD_INVALID', 'scope');
    expectError(await ask('POST', '/profiles', { name: 'T', expires_in_days: 0 }), 'EXPIRES_DAYS_INVALID');
    for (const isActive of [false, false, true]) {
      const changed = await ask('PATCH', `/profiles/${key}`, { is_active: isActive });
      expect(changed.body.profile).toMatchObject({ key, is_active: isActive });
    }
    const changes = itemsOf(await ask('GET', '/audit?event=profile.changed&limit=3'));
    expect(changes.map(({ details }) => fieldsOf(details).change)).toEqual(['enabled', 'disabled', 'created']);
    expectError(await ask('PATCH', '/profiles/unknown', { is_active: false }), 'PROFILE_NOT_FOUND');
  });

  test('register an application, change and remove it only if the request names its current version, and show its secrets once', async () => {
    const key = `portal-${database}`;
    const path = `/applications/${key}`;
    const added = await ask('POST', '/applications', { key, name: 'Portal', urls: ['https://portal.example.com'] });
    expect([added.status, added.body.secret]).toEqual([201, expect.stringMatching(/^acs_[0-9a-f]{64}$/)]);
    expect(added.body.application).toMatchObject({ key, version: 1, is_active: true });
    expectError(await ask('POST', '/applications', { key, name: 'Portal' }), 'APPLICATION_KEY_TAKEN');
    expectError(await ask('POST', '/applications', { key: '1', name: 'x' }), 'FIELD_INVALID', 'key');

    const same = await ask('PATCH', path, { version: 1 });
    expect(same.body).toEqual({ success: true, application: added.body.application });
    const changed = await ask('PATCH', path, { version: 1, is_active: false, roles: ['superadmin'], icon: null });
    expect(changed.body.application).toMatchObject({ version: 2, is_active: false, roles: ['superadmin'] });
    const outdated = await ask('PATCH', path, { version: 1, name: 'Late' });
    expect([outdated.status, outdated.body.code, outdated.body.current]).toEqual([
      409,
      'CHANGED_MEANWHILE',
      changed.body.application,
    ]);
    const rotated = await ask('POST', `${path}/rotate-secret`, { keep_old_hours: 0 });
    expect(rotated.body).toEqual({ success: true, secret: expect.stringMatching(/^acs_/), expires_at: null });
    expect((await ask('DELETE', `${path}?version=2`)).body.code).toBe('CHANGED_MEANWHILE');
    expect((await ask('DELETE', `${path}?version=3`)).status).toBe(200);
    expectError(await ask('DELETE', `${path}?version=3`), 'APPLICATION_NOT_FOUND');
  });

  test('set every field of an application that the command line sets', async () => {
    const fields = {
      name: 'Screens',
      urls: ['https://screens.example.com/start'],
      redirect_uris: ['https://screens.example.com/back'],
      post_logout_redirect_uris: ['https://screens.example.com/bye'],
      roles: ['superadmin'],
      backchannel_logout_uri: 'https://screens.example.com/logout',
      icon: 'https://screens.example.com/icon.svg',
      is_public: false,
      is_third_party: true,
      device_flow: true,
      id_token_alg: 'ES256',
      pkce_required: false,
    };
    const added = await ask('POST', '/applications', { key: `all-${database}`, ...fields });
    expect([added.status, added.body.application]).toEqual([201, expect.objectContaining(fields)]);

    const path = `/applications/one-${database}`;
    await ask('POST', '/applications', { key: `one-${database}`, name: 'One' });
    let version = 1;
    for (const [name, value] of Object.entries(fields)) {
      const { body } = await ask('PATCH', path, { version, [name]: value });
      const changes = name !== 'is_public';
      version += changes ? 1 : 0;
      expect(body.application, name).toMatchObject({ [name]: value, version });
    }

    expectError(await ask('PATCH', path, { version, id_token_alg: 'HS256' }), 'FIELD_INVALID', 'id_token_alg');
    for (const body of [{ is_public: true }, { is_public: true, pkce_required: false }])
      expectError(await ask('PATCH', path, { version, ...body }), 'FIELD_INVALID', 'pkce_required');
    const open = await ask('PATCH', path, { version, is_public: true, pkce_required: true });
    expect([open.status, open.body.secret]).toEqual([200, undefined]);
    expectError(
      await ask('PATCH', path, { version: version + 1, pkce_required: false }),
      'FIELD_INVALID',
      'pkce_required',
    );
    const closed = await ask('PATCH', path, { version: version + 1, is_public: false });
    expect(closed.body).toMatchObject({ secret: expect.stringMatching(/^acs_/), application: { is_public: false } });
  });

  test('by a token of scope admin need neither CSRF token nor confirmation, and never affect a superadmin', async () => {
    const by = await askByToken();
    const other = await app().seedUser({ role: 'superadmin' });
    const client = await app().signIn(other);
    const { id: tokenId } = await createToken(client);
    const [session] = itemsOf(await ask('GET', `/sessions?user_id=${other.id}`));
    const plain = await app().seedUser();
    const path = `/users/${other.id}`;
    const version = (await show(other.id)).version;

    const refusals: [Method, string, object?][] = [
      ['PATCH', path, { version, full_name: 'x' }],
      ['PATCH', path, { version: 99, full_name: 'x' }],
      ['DELETE', `${path}?version=${version}`],
      ['POST', `${path}/invite`, {}],
      ['POST', `${path}/reset`, {}],
      ['POST', `${path}/end-sessions`],
      ['DELETE', `${path}/totp`],
      ['DELETE', `${path}/trusted-browsers`],
      ['POST', `${path}/connections`, { provider: 'codehost', account_id: '77' }],
      ['DELETE', `${path}/connections/codehost`],
      ['DELETE', `/sessions/${session?.ref}`],
      ['DELETE', `/tokens/${tokenId}`],
      ['POST', '/users', { username: 'boss', role: 'superadmin' }],
      ['PATCH', `/users/${plain.id}`, { version: 1, role: 'superadmin' }],
    ];
    for (const [method, target, json] of refusals) {
      const reply = await by(method, target, json);
      expect([method, target, reply.body.code]).toEqual([method, target, 'SESSION_REQUIRED']);
    }
    expect(await client.isSignedIn()).toBe(true);
    expect(await show(other.id)).toMatchObject({ version, full_name: '' });
    expect((await by('PATCH', `/users/${plain.id}`, { version: 1, full_name: 'Synced' })).status).toBe(200);
    const [row] = await events(plain);
    expect(row).toMatchObject({ event: 'user.updated', actor_type: 'token', actor_id: (await root()).user.id });
  });

  test('by a token of scope admin are refused if the user has become a superadmin in the meantime', async () => {
    const user = await app().seedUser({ role: 'superadmin' });
    const client = await app().signIn(user);
    const change = { ...app().change(), actor: { type: 'token', tokenScope: 'admin' } as const };

    const attempts = [
      () => endUserSessions(change, user, 'admin'),
      () => changeUser(change, user.username, { role: 'normaluser' }),
      () => removeUser(change, user),
    ];

    for (const attempt of attempts) await expect(attempt()).rejects.toMatchObject({ code: 'SESSION_REQUIRED' });
    expect(await client.isSignedIn()).toBe(true);
    expect(await app().user(user.username)).toMatchObject({ role: 'superadmin' });
  });

  test('a superadmin creates a token of scope admin with a confirmation, for 30 days at most', async () => {
    const { user, client } = await root();
    const make = (as: Client, fields: object = {}) =>
      as.post('/api/token', { name: 'sync', scope: 'admin', ...fields });
    const plain = await app().signIn(await app().seedUser());

    expectError(await make(plain), 'SUPERADMIN_REQUIRED');
    expect((await make(await unconfirmed(app(), user))).body.code).toBe('CONFIRMATION_REQUIRED');
    const late = await make(client, { expiresDays: 31 });
    expectError(late, 'EXPIRES_DAYS_INVALID', 'expiresDays');
    expect(late.body.hint).toContain('30');
    expectError(await make(client, { allowed_apps: ['portal'] }), 'ALLOWED_APPS_INVALID', 'allowed_apps');
    const from = app().clock.now();
    const { token } = (await make(client)).body;
    const proof = await app().client().post('/api/tokens/verify', { token });
    expect(proof.body).toMatchObject({ permissions: { scope: 'admin' } });
    expectBetween(proof.body.expiresAt, from, app().clock.now(), 30 * 86_400_000);
    const headers = { authorization: `Bearer ${token}` };
    expect((await app().client().get('/authsvc/api/me', { headers })).body.visitor).toMatchObject({
      scope: 'read-only',
    });
    const approve = { user_code: 'ABCD-EFGH', action: 'approve' };
    expectError(await app().client().post('/api/cli/device/approve', approve, { headers }), 'TOKEN_READ_ONLY');
    expectError(await app().client().get('/api/admin/api-tokens/stats', { headers }), 'NOT_SIGNED_IN');
  });

  test('a token of scope admin ends when its owner loses the role', async () => {
    const owner = await app().seedUser({ role: 'superadmin' });
    const { token } = await createToken(await app().signIn(owner), { scope: 'admin' });
    const read = () =>
      app()
        .client()
        .get(`${ADMIN}/users`, { headers: { authorization: `Bearer ${token}` } });
    expect((await read()).status).toBe(200);

    await changeUser(app().change(), owner.username, { role: 'normaluser' });
    expectError(await read(), 'SUPERADMIN_REQUIRED');
    await changeUser(app().change(), owner.username, { isActive: false });
    expectError(await read(), 'TOKEN_INVALID');
  });
});
