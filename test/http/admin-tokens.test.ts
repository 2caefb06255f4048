import { expect, test } from 'vitest';
import { changeUser } from '../../src/users/change-user.ts';
import { createToken, verify } from '../support/device-login.ts';
import { eachDatabase } from '../support/each-database.ts';
import { startApp } from '../support/start-app.ts';
import { sharedApp } from './support.ts';

const DAY = 24 * 60 * 60 * 1000;

eachDatabase("the superadmins' routes for API tokens", (database) => {
  const shared = sharedApp({ database });

  test('the counts include the tokens of all users', async (t) => {
    const app = await startApp(t, { database, settings: { COOKIE_EXPIRE_TIME: '100' } });
    const [ada, bob, root] = await Promise.all([app.seedUser(), app.seedUser(), app.seedUser({ role: 'superadmin' })]);
    const [asAda, asBob, asRoot] = [await app.signIn(ada), await app.signIn(bob), await app.signIn(root)];
    const stats = async () => (await asRoot.get('/api/admin/api-tokens/stats')).body;

    const none = await stats();
    const [short, long] = [await createToken(asAda, { expiresDays: 1, scope: 'write' }), await createToken(asBob)];
    await createToken(asBob);
    for (const { token } of [short, long]) await verify(app.client(), token);
    await app.services.background.finish();
    app.clock.advance(2 * DAY);
    const some = await stats();
    app.clock.advance(29 * DAY);
    const later = await stats();

    const zero = { total: 0, active: 0, expired: 0, never_expiring: 0, used_last_30_days: 0, users_with_tokens: 0 };
    expect(none).toEqual({ success: true, stats: { ...zero, by_scope: { 'read-only': 0, write: 0, admin: 0 } } });
    const counted = { total: 3, active: 2, expired: 1, never_expiring: 0, used_last_30_days: 2, users_with_tokens: 2 };
    expect(some.stats).toEqual({ ...counted, by_scope: { 'read-only': 2, write: 1, admin: 0 } });
    expect(later.stats).toMatchObject({ used_last_30_days: 0 });
  });

  test("the list of a user's tokens contains everything except the token, under any name", async () => {
    const app = shared();
    const odd = await app.seedUser({ username: 'a/b%2F?#', apps: ['authsvc', 'b'] });
    const root = await app.signIn(await app.seedUser({ role: 'superadmin' }));
    const browser = await app.signIn(odd);
    const made = [
      await createToken(browser, { allowed_apps: ['b'], expiresDays: 1 }),
      await createToken(browser, { name: 'second' }),
    ];

    const reply = await root.get(`/api/admin/api-tokens/${encodeURIComponent(odd.username.toUpperCase())}`);
    const empty = await root.get(`/api/admin/api-tokens/${(await app.seedUser()).username}`);
    const unknown = await Promise.all(
      ['nobody', '%00', 'x'.repeat(300)].map((name) => root.get(`/api/admin/api-tokens/${name}`)),
    );

    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    const common = { scope: 'read-only', created_at: time, last_used_at: null, expires_at: time, parent_id: null };
    expect(reply.body).toEqual({
      success: true,
      username: odd.username,
      tokens: [
        { ...common, id: made[0]?.id, name: 'ci', token_prefix: made[0]?.token.slice(0, 12), allowed_apps: ['b'] },
        {
          ...common,
          id: made[1]?.id,
          name: 'second',
          token_prefix: made[1]?.token.slice(0, 12),
          allowed_apps: ['authsvc', 'b'],
        },
      ],
    });
    expect(empty.body.tokens).toEqual([]);
    expect(unknown.map(({ status, body }) => [status, body.code])).toEqual(Array(3).fill([404, 'USER_NOT_FOUND']));
  });

  test('a superadmin can revoke any token, once', async () => {
    const app = shared();
    const root = await app.signIn(await app.seedUser({ role: 'superadmin' }));
    const { id, token } = await createToken(await app.signIn(await app.seedUser()));

    const [first, second] = [
      await root.delete(`/api/admin/api-tokens/${id}`),
      await root.delete(`/api/admin/api-tokens/${id}`),
    ];

    expect([first.status, first.body.success]).toEqual([200, true]);
    expect([second.status, second.body.code]).toEqual([404, 'TOKEN_NOT_FOUND']);
    expect((await verify(app.client(), token)).body.tokenValid).toBe(false);
  });

  test('everyone else is refused, and so is a superadmin who loses the role, at once', async () => {
    const app = shared();
    const root = await app.seedUser({ role: 'superadmin' });
    const [asRoot, asAda] = [await app.signIn(root), await app.signIn(await app.seedUser())];
    const paths = [
      ['GET', 'stats'],
      ['GET', 'nobody'],
      ['GET', root.username],
      ['DELETE', '1'],
    ] as const;
    const askAll = (client: typeof asRoot) =>
      Promise.all(
        paths.map(async ([method, path]) => (await client.request(method, `/api/admin/api-tokens/${path}`)).status),
      );

    expect(await askAll(app.client())).toEqual([401, 401, 401, 401]);
    expect(await askAll(asAda)).toEqual([403, 403, 403, 403]);
    expect((await asRoot.get('/api/admin/api-tokens/stats')).status).toBe(200);
    await changeUser(app.change(), root.username, { role: 'normaluser' });
    expect(await askAll(asRoot)).toEqual([403, 403, 403, 403]);
  });

  test('other methods at these paths get the list of allowed methods', async () => {
    const app = shared();

    const patched = await app.client().request('PATCH', '/api/admin/api-tokens/1');
    const posted = await app.client().post('/api/admin/api-tokens/stats', {});

    expect([patched.status, posted.status]).toEqual([405, 405]);
    expect(patched.headers.allow).toBe('GET, DELETE, HEAD, OPTIONS');
    expect(posted.headers.allow).toBe('GET, HEAD, OPTIONS');
  });
});
