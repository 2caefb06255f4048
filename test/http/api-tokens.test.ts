import { expect, test } from 'vitest';
import { listTokens } from '../../src/api-tokens/queries.ts';
import { changeUser } from '../../src/users/change-user.ts';
import { deleteUser } from '../../src/users/queries.ts';
import { createToken, verify } from '../support/device-login.ts';
import { eachDatabase } from '../support/each-database.ts';
import { type SeededUser, startApp, type TestApp } from '../support/start-app.ts';
import { expectError, sharedApp } from './support.ts';

const DAY = 24 * 60 * 60 * 1000;
const UNKNOWN = `tok_${'0'.repeat(64)}`;
const INVALID = { success: false, tokenValid: false, message: 'Invalid or expired API token' };

const tokensOf = ({ services }: TestApp, user: SeededUser) => listTokens.all(services.database, { userId: user.id });
const change = (app: TestApp, user: SeededUser, what: Parameters<typeof changeUser>[2]) =>
  changeUser(app.change(), user.username, what);

eachDatabase('API tokens', (database) => {
  const shared = sharedApp({ database });

  test('a token is shown once, stored as its hash, and verified with its scope and applications', async () => {
    const app = shared();
    const ada = await app.seedUser({ apps: ['authsvc', 'billing'] });
    const browser = await app.signIn(ada);

    const request = { name: ' my ci ', scope: 'write', expiresDays: 3, allowed_apps: ['billing', 'BILLING'] };
    const reply = await browser.post('/api/token', request);

    expect(reply.status).toBe(201);
    const token = String(reply.body.token);
    expect(token).toMatch(/^tok_[0-9a-f]{64}$/);
    expect(reply.body).toEqual({
      success: true,
      token,
      prefix: token.slice(0, 12),
      name: 'my ci',
      id: expect.any(Number),
    });
    expect(reply.headers['cache-control']).toBe('no-store');
    const { body, text } = await verify(app.client(), token);
    const permissions = { scope: 'write', allowed_apps: ['billing'] };
    expect(body).toMatchObject({ success: true, tokenValid: true, username: ada.username, permissions });
    expect(Math.abs(Date.parse(String(body.expiresAt)) - app.clock.now() - 3 * DAY)).toBeLessThan(5000);
    expect(text).not.toContain(token.slice(12));
    const stored = await app.services.database.kysely.selectFrom('api_tokens').selectAll().execute();
    expect(JSON.stringify(stored)).not.toContain(token.slice(12));
    expect(JSON.stringify(app.log())).not.toContain(token.slice(12));
  });

  test('the defaults are read-only, 90 days, and all applications of the user, now and later', async () => {
    const app = shared();
    const ada = await app.seedUser({ apps: ['authsvc'] });
    const { token } = await createToken(await app.signIn(ada));

    await change(app, ada, { apps: ['authsvc', 'later'] });
    const { body } = await verify(app.client(), token);

    expect(body.permissions).toEqual({ scope: 'read-only', allowed_apps: ['authsvc', 'later'] });
    expect(Math.abs(Date.parse(String(body.expiresAt)) - app.clock.now() - 90 * DAY)).toBeLessThan(5000);
  });

  test('an invalid request creates no token', async () => {
    const app = shared();
    const ada = await app.seedUser();
    const browser = await app.signIn(ada);
    const bad: [string, unknown[], string][] = [
      ['name', ['', '   ', '\u200b', 'n'.repeat(256), 5, ['x'], {}], 'TOKEN_NAME_INVALID'],
      ['scope', ['administrator', '__proto__', '', ['write'], null, 1], 'TOKEN_SCOPE_INVALID'],
      ['expiresDays', [0, -1, 1.5, '30', 3651, 1e13, 2 ** 53 + 1, null, true, [30], {}], 'EXPIRES_DAYS_INVALID'],
      [
        'allowed_apps',
        ['authsvc', [1], [null], [''], ['a\0b'], {}, null, Array(101).fill('a')],
        'ALLOWED_APPS_INVALID',
      ],
    ];

    for (const [field, values, code] of bad) {
      for (const value of values) {
        const reply = await browser.post('/api/token', { name: 'ci', [field]: value });
        expect([reply.status, reply.body.code], `${field} ${JSON.stringify(value)}`).toEqual([400, code]);
      }
    }
    const nameless = await browser.post('/api/token', { scope: 'write' });

    expect([nameless.status, nameless.body.code]).toEqual([400, 'MISSING_REQUIRED_FIELD']);
    expect(await tokensOf(app, ada)).toEqual([]);
  });

  test('a token has no more applications than its user, even after the user loses some', async () => {
    const app = shared();
    const ada = await app.seedUser({ apps: ['authsvc', 'Billing'] });
    const browser = await app.signIn(ada);

    const beyond = await browser.post('/api/token', { name: 'ci', allowed_apps: ['authsvc', 'payroll'] });
    const { token } = await createToken(browser, { allowed_apps: ['billing', 'AUTHSVC'] });
    await change(app, ada, { apps: ['authsvc'] });
    const { body } = await verify(app.client(), token);

    expect([beyond.status, beyond.body.code]).toEqual([403, 'TOKEN_APPS_NOT_ALLOWED']);
    expect(body.permissions).toMatchObject({ allowed_apps: ['AUTHSVC'] });
  });

  test('a token of a superadmin may name any application, and keeps it while its owner is a superadmin', async () => {
    const app = shared();
    const root = await app.seedUser({ role: 'superadmin' });
    const { token } = await createToken(await app.signIn(root), { allowed_apps: ['payroll'] });

    const before = await verify(app.client(), token);
    await change(app, root, { role: 'normaluser' });
    const after = await verify(app.client(), token);

    expect(before.body.permissions).toMatchObject({ allowed_apps: ['payroll'] });
    expect(after.body.permissions).toMatchObject({ allowed_apps: [] });
  });

  test('unknown, revoked and expired tokens, and those of inactive or removed users, get the same reply', async (t) => {
    const app = await startApp(t, { database, settings: { COOKIE_EXPIRE_TIME: '30' } });
    const users = await Promise.all([app.seedUser(), app.seedUser(), app.seedUser()]);
    const [ada, inactive, removed] = users;
    const browsers = await Promise.all(users.map(app.signIn));
    const made = await Promise.all(browsers.map((browser) => createToken(browser, { expiresDays: 2 })));
    const revoked = await createToken(browsers[0] ?? app.client());

    await browsers[0]?.delete(`/api/token/${revoked.id}`);
    await change(app, inactive ?? ada, { isActive: false });
    await deleteUser.run(app.services.database, { id: removed?.id ?? 0 });
    const early = await verify(app.client(), made[0]?.token ?? '');
    app.clock.advance(2 * DAY);
    const late = await Promise.all(
      [UNKNOWN, revoked.token, ...made.map(({ token }) => token)].map((token) => verify(app.client(), token)),
    );

    expect(early.body.tokenValid).toBe(true);
    expect(late.map(({ status, body }) => [status, body])).toEqual(Array(5).fill([200, INVALID]));
  });

  test('a text without the shape of a token is refused', async () => {
    const app = shared();
    const odd = [
      undefined,
      '',
      'tok_',
      UNKNOWN.slice(1),
      `${UNKNOWN}0`,
      `${UNKNOWN}\n`,
      UNKNOWN.toUpperCase(),
      `tok_${'A'.repeat(64)}`,
      'tok_\0',
      42,
      null,
      [UNKNOWN],
    ];

    for (const path of ['/api/tokens/verify', '/api/tokens/revoke']) {
      const replies = await Promise.all(odd.map((token) => app.client().post(path, { token })));
      expect(replies.map(({ status }) => status)).toEqual(odd.map(() => 400));
    }
  });

  test('a program can check its own token as a bearer credential; a token in the body takes precedence', async () => {
    const app = shared();
    const made = await createToken(await app.signIn(await app.seedUser()));
    const ask = (credential: string, token?: string) =>
      app.client().request('POST', '/api/tokens/verify', {
        ...(token === undefined ? {} : { json: { token } }),
        headers: { authorization: `Bearer ${credential}` },
      });

    const replies = await Promise.all([ask(made.token), ask(made.token, UNKNOWN), ask(UNKNOWN)]);

    expect(replies.map(({ status, body }) => [status, body.tokenValid])).toEqual([
      [200, true],
      [200, false],
      [200, false],
    ]);
    expectError(await ask('garbage'), 'TOKEN_FORMAT_INVALID', 'token');
  });

  test('a user can revoke a token once, and no other user can find it', async () => {
    const app = shared();
    const [ada, bob, root] = await Promise.all([app.seedUser(), app.seedUser(), app.seedUser({ role: 'superadmin' })]);
    const [asAda, asBob, asRoot] = await Promise.all([ada, bob, root].map(app.signIn));
    const { id, token } = await createToken(asAda ?? app.client());

    const foreign = await Promise.all([asBob, asRoot].map((browser) => browser?.delete(`/api/token/${id}`)));
    const anonymous = await app.client().delete(`/api/token/${id}`);
    const still = await verify(app.client(), token);
    const [own, again] = [await asAda?.delete(`/api/token/${id}`), await asAda?.delete(`/api/token/${id}`)];

    expect(foreign.map((reply) => [reply?.status, reply?.body.code])).toEqual(Array(2).fill([404, 'TOKEN_NOT_FOUND']));
    expect(anonymous.status).toBe(401);
    expect(still.body.tokenValid).toBe(true);
    expect([own?.status, own?.body.success, again?.status]).toEqual([200, true, 404]);
  });

  test('invalid ids are refused', async () => {
    const app = shared();
    const browser = await app.signIn(await app.seedUser({ role: 'superadmin' }));
    const odd = ['abc', '-1', '0', '1.5', '01', '1e3', '%00', '%20', '99999999999999999999', '9007199254740993'];

    for (const path of ['/api/token', '/api/admin/api-tokens']) {
      const replies = await Promise.all(odd.map((id) => browser.delete(`${path}/${id}`)));
      expect(replies.map(({ status, body }) => [status, body.code])).toEqual(odd.map(() => [400, 'ID_INVALID']));
    }
  });

  test('anyone who has a token may revoke it, and a request with an invalid token gets the same reply', async () => {
    const app = shared();
    const { token } = await createToken(await app.signIn(await app.seedUser()));

    const replies = [];
    for (const held of [token, token, UNKNOWN])
      replies.push(await app.client().post('/api/tokens/revoke', { token: held }));

    expect(replies.map(({ status, body }) => [status, body.success])).toEqual(Array(3).fill([200, true]));
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    expect((await verify(app.client(), token)).body).toEqual(INVALID);
  });

  test('the limit holds for simultaneous requests, and expired and revoked tokens do not count', async (t) => {
    const app = await startApp(t, { database, settings: { MAX_TOKENS_PER_USER: '4', COOKIE_EXPIRE_TIME: '30' } });
    const ada = await app.seedUser();
    const browser = await app.signIn(ada);

    const ask = () => browser.post('/api/token', { name: 'ci', expiresDays: 1 });
    const replies = await Promise.all(Array.from({ length: 20 }, ask));
    const [first] = await tokensOf(app, ada);
    await browser.delete(`/api/token/${first?.id}`);
    const inRoom = [await ask(), await ask()];
    app.clock.advance(DAY);
    const later = await ask();

    expect(replies.filter(({ status }) => status === 201)).toHaveLength(4);
    const refused = replies.filter(({ status }) => status !== 201);
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual(
      Array(16).fill([403, 'TOKEN_LIMIT_REACHED']),
    );
    expect(inRoom.map(({ status }) => status)).toEqual([201, 403]);
    expect(later.status).toBe(201);
  });

  test('superadmins have no limit', async (t) => {
    const app = await startApp(t, { database, settings: { MAX_TOKENS_PER_USER: '1' } });
    const browser = await app.signIn(await app.seedUser({ role: 'superadmin' }));

    const replies = await Promise.all(Array.from({ length: 5 }, () => browser.post('/api/token', { name: 'ci' })));

    expect(replies.map(({ status }) => status)).toEqual(Array(5).fill(201));
  });

  test('the time of the last use of a token is stored in the background, at most once a minute', async () => {
    const app = shared();
    const ada = await app.seedUser();
    const { token } = await createToken(await app.signIn(ada));
    const lastUse = async () => {
      await app.services.background.finish();
      return (await tokensOf(app, ada))[0]?.last_used_at ?? null;
    };

    const unused = await lastUse();
    await Promise.all(Array.from({ length: 20 }, () => verify(app.client(), token)));
    const first = await lastUse();
    app.clock.advance(50_000);
    await verify(app.client(), token);
    const within = await lastUse();
    app.clock.advance(20_000);
    await verify(app.client(), token);
    const after = await lastUse();

    expect(unused).toBeNull();
    expect(Math.abs(Number(first) - app.clock.now() + 70_000)).toBeLessThan(5000);
    expect(within).toBe(first);
    expect(Number(after) - Number(first)).toBeGreaterThanOrEqual(70_000);
  });

  test('a token without an expiry time is valid, and its expiry is null', async () => {
    const app = shared();
    const ada = await app.seedUser();
    const { id, token } = await createToken(await app.signIn(ada));
    const { kysely } = app.services.database;
    await kysely.updateTable('api_tokens').set({ expires_at: null }).where('id', '=', id).execute();

    app.clock.advance(4000 * DAY);
    const { body } = await verify(app.client(), token);

    expect(body).toMatchObject({ tokenValid: true, expiresAt: null });
  });
});
