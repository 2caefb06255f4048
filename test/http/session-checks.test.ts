import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { changeUser, type UserChange } from '../../src/users/change-user.ts';
import { deleteUser } from '../../src/users/queries.ts';
import type { Client, Reply } from '../support/client.ts';
import { type DatabaseKind, eachDatabase, freshDatabase } from '../support/each-database.ts';
import { startApp, type TestApp } from '../support/start-app.ts';
import { dumpDatabase, expectError, sharedApp } from './support.ts';

const DAY = 24 * 60 * 60 * 1000;

/** Returns the id of a user's only session. */
async function sessionOf(app: TestApp, userId: number): Promise<string> {
  const query = app.services.database.kysely.selectFrom('sessions').select('id').where('user_id', '=', userId);
  return (await query.executeTakeFirstOrThrow()).id;
}

async function signedIn(app: TestApp, seed: Parameters<TestApp['seedUser']>[0] = {}) {
  const user = await app.seedUser(seed);
  const client = await app.signIn(user);
  return { user, client, id: await sessionOf(app, user.id), cookie: client.jar.get('session_id') ?? '' };
}

/** Checks one session in all three ways: by cookie, by id with checkSession, and by id with verifySession. */
async function allChecks(app: TestApp, client: Client, id: string) {
  const stranger = app.client();
  return [
    await client.get('/authsvc/api/checkSession'),
    await stranger.post('/authsvc/api/checkSession', { session_id: id }),
    await stranger.post('/authsvc/api/verifySession', { session_id: id }),
  ];
}

function expectInvalid(replies: Reply[]): void {
  const bodies = replies.map(({ status, body }) => ({ status, ...body }));
  expect(bodies).toEqual([
    { status: 200, session_valid: false, expiry: null },
    { status: 200, session_valid: false, expiry: null },
    { status: 200, valid: false, expiry: null },
  ]);
  expect(replies.flatMap(({ cookies }) => cookies)).toEqual([]);
}

function expectValid(replies: Reply[], { username, role }: { username: string; role: string }): void {
  const expiry = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(replies.map(({ body }) => body)).toEqual([
    { session_valid: true, expiry },
    { session_valid: true, expiry },
    { valid: true, expiry, username, role },
  ]);
  expect(new Set(replies.map(({ body }) => body.expiry)).size).toBe(1);
}

eachDatabase('session checks', (database) => {
  const app = sharedApp({ database });
  const ask = (path: string, body: unknown) => app().client().post(`/authsvc/api/${path}`, body);

  test('all three routes report a valid session with the same expiry, two days after the sign-in', async () => {
    const from = app().clock.now();
    const { user, client, id } = await signedIn(app());

    const replies = await allChecks(app(), client, id);

    expectValid(replies, user);
    expect(Math.abs(Date.parse(String(replies[0]?.body.expiry)) - from - 2 * DAY)).toBeLessThan(5000);
  });

  test('verifySession returns the role of a superadmin', async () => {
    const { user, client, id } = await signedIn(app(), { role: 'superadmin' });

    expectValid(await allChecks(app(), client, id), user);
  });

  test('the expiry does not change, however often it is checked', async () => {
    const { client } = await signedIn(app());
    const { body } = await client.get('/authsvc/api/checkSession');
    app().clock.advance(60_000);

    const again = await client.get('/authsvc/api/checkSession');

    expect(again.body.expiry).toBe(body.expiry);
    expect(again.cookies).toEqual([]);
  });

  test('thirty checks by cookie from one address are all answered', async () => {
    const { client } = await signedIn(app());
    const address = '198.51.100.30';

    const replies = await Promise.all(
      Array.from({ length: 30 }, () => client.get('/authsvc/api/checkSession', { address })),
    );

    expect(replies.map(({ body }) => body.session_valid)).toEqual(Array(30).fill(true));
  });

  test('without a session, or with an unknown id, the session is invalid', async () => {
    expectInvalid(await allChecks(app(), app().client(), randomUUID()));
  });

  test('an id in capital letters is accepted', async () => {
    const { id } = await signedIn(app());

    expect((await ask('checkSession', { session_id: id.toUpperCase() })).body.session_valid).toBe(true);
  });

  test.each([true, 'true'])(
    'with is_encrypt %j the value of the cookie is accepted, plain or URI-encoded',
    async (is_encrypt) => {
      const { user, cookie } = await signedIn(app());
      const encoded = cookie.replace('v1.', 'v1%2E').replace(/-/g, '%2D');

      for (const session_id of [cookie, encodeURIComponent(cookie), encoded]) {
        expect((await ask('checkSession', { session_id, is_encrypt })).body.session_valid).toBe(true);
        expect((await ask('verifySession', { session_id, is_encrypt })).body.username).toBe(user.username);
      }
    },
  );

  test.each([true, 'true'])('with is_encrypt %j a text that is not a sealed id gets 400', async (is_encrypt) => {
    const { cookie, id } = await signedIn(app());
    const { sealer } = app().services;
    const wrong = [
      'nonsense',
      id,
      '%E0%A4%A',
      '%',
      `${cookie}A`,
      cookie.slice(0, -1),
      ` ${cookie}`,
      cookie + cookie,
      sealer.seal('another purpose', id),
      sealer.seal('cookie session_id', 'no UUID'),
      sealer.seal('cookie session_id', ''),
    ];

    for (const session_id of wrong) {
      for (const path of ['checkSession', 'verifySession']) {
        expectError(await ask(path, { session_id, is_encrypt }), 'SESSION_INVALID');
      }
    }
  });

  test.each([undefined, false, 'false', null, 1, 'TRUE', {}])(
    'with is_encrypt %j, the field session_id must contain the id itself and not the value of the cookie',
    async (is_encrypt) => {
      const { id, cookie } = await signedIn(app());

      for (const path of ['checkSession', 'verifySession']) {
        const reply = await ask(path, { session_id: id, is_encrypt });
        expect(reply.body.session_valid ?? reply.body.valid).toBe(true);
        expectError(await ask(path, { session_id: cookie, is_encrypt }), 'SESSION_INVALID');
      }
    },
  );

  test.each([
    ['missing', undefined, 'MISSING_REQUIRED_FIELD'],
    ['null', null, 'MISSING_REQUIRED_FIELD'],
    ['empty', '', 'MISSING_REQUIRED_FIELD'],
    ['no text', 5, 'SESSION_INVALID'],
    ['a list', ['x'], 'SESSION_INVALID'],
    ['no UUID', 'nonsense', 'SESSION_INVALID'],
    ['a UUID in braces', `{${randomUUID()}}`, 'SESSION_INVALID'],
    ['a UUID and a NUL', `${randomUUID()}\0`, 'SESSION_INVALID'],
    ['a UUID and a line break', `${randomUUID()}\n`, 'SESSION_INVALID'],
    ['very long', 'a'.repeat(60_000), 'SESSION_INVALID'],
  ] as const)('a session_id that is %s gets 400', async (_what, session_id, name) => {
    for (const path of ['checkSession', 'verifySession']) expectError(await ask(path, { session_id }), name);
  });

  test('the replies may not be cached', async () => {
    const { client, id } = await signedIn(app());

    for (const reply of await allChecks(app(), client, id)) expect(reply.headers['cache-control']).toBe('no-store');
  });
});

eachDatabase('a session that ends or whose user changes', (database) => {
  const app = sharedApp({ database });

  test('is invalid from its expiry on, to the millisecond', async () => {
    const { user, client, id } = await signedIn(app());
    const [check] = await allChecks(app(), client, id);
    const left = Date.parse(String(check?.body.expiry)) - app().clock.now();

    app().clock.advance(left - 5000);
    expectValid(await allChecks(app(), client, id), user);
    app().clock.advance(5000);

    expectInvalid(await allChecks(app(), client, id));
  });

  const changes: [string, UserChange][] = [
    ['is deactivated', { isActive: false }],
    ['loses the application', { apps: ['elsewhere'] }],
    ['loses the role that gave access', { role: 'normaluser' }],
  ];
  test.each(changes)('is invalid at once when its user %s', async (_what, change) => {
    const { user, client, id } = await signedIn(app(), { role: 'superadmin', apps: ['elsewhere'] });
    if (change.apps) await changeUser(app().change(), user.username, { role: 'normaluser', apps: ['authsvc'] });
    expectValid(await allChecks(app(), client, id), { ...user, role: change.apps ? 'normaluser' : 'superadmin' });

    await changeUser(app().change(), user.username, change);

    expectInvalid(await allChecks(app(), client, id));
    expectError(await client.post('/authsvc/test'), 'NOT_SIGNED_IN');
    expect((await client.page('/authsvc/test')).status).toBe(302);
  });

  test('is invalid at once when its user is removed, and no row stays', async () => {
    const { user, client, id } = await signedIn(app());

    await deleteUser.run(app().services.database, { id: user.id });

    expectInvalid(await allChecks(app(), client, id));
    expect((await dumpDatabase(app())).sessions?.join()).not.toContain(id);
  });

  test('shows a new role at once', async () => {
    const { user, client, id } = await signedIn(app());

    await changeUser(app().change(), user.username, { role: 'superadmin' });

    expectValid(await allChecks(app(), client, id), { ...user, role: 'superadmin' });
  });

  test('with a role that is not in ROLES has no rights', async () => {
    const { user, client, id } = await signedIn(app());
    const { kysely } = app().services.database;

    await kysely.updateTable('users').set({ role: 'emperor' }).where('id', '=', user.id).execute();

    expectValid(await allChecks(app(), client, id), { ...user, role: 'emperor' });
    expectError(await client.get('/authsvc/validate-superadmin'), 'SUPERADMIN_REQUIRED');
  });
});

eachDatabase('a session check while the database fails', (database) => {
  test('gets 500 from every route, never "signed out", and no cookie is cleared', async (t) => {
    const app = await startApp(t, { database });
    const { client, id } = await signedIn(app);
    await sql`alter table sessions rename to sessions_away`.execute(app.services.database.kysely);

    const replies = [...(await allChecks(app, client, id)), await client.post('/authsvc/test')];
    const page = await client.page('/authsvc/test');
    await sql`alter table sessions_away rename to sessions`.execute(app.services.database.kysely);

    for (const reply of replies) {
      expectError(reply, 'INTERNAL_ERROR');
      expect(reply.cookies).toEqual([]);
    }
    expect(page.status).toBe(500);
    expect(page.headers['content-type']).toContain('text/html');
    expect(page.cookies).toEqual([]);
    expect(page.text).not.toMatch(/sessions_away|no such table|relation|select /);
    expect(await client.isSignedIn()).toBe(true);
  });
});

eachDatabase('the secrets that seal session cookies', (database) => {
  const [OLD, NEW] = ['an-old-session-secret-0123456789-abcdef', 'a-new-session-secret-0123456789-abcdef'];

  async function withSecret(t: Parameters<typeof startApp>[0], url: string, secret: string): Promise<TestApp> {
    const shared = { url, folder: '/nowhere', drop: async () => undefined };
    return startApp(t, { database: shared, settings: { SESSION_SECRET_KEY: secret } });
  }
  const ends = (kind: DatabaseKind, t: Parameters<typeof startApp>[0]) =>
    freshDatabase(kind).then((fresh) => {
      t.onTestFinished(fresh.drop);
      return fresh.url;
    });

  test('after a rotation old cookies are accepted, and new ones are sealed with the first secret', async (t) => {
    const url = await ends(database, t);
    const before = await withSecret(t, url, OLD);
    const { user, cookie } = await signedIn(before);
    const during = await withSecret(t, url, `${NEW},${OLD}`);
    const after = await withSecret(t, url, NEW);
    const isKnown = async (app: TestApp, value: string) => {
      const client = app.client();
      client.jar.set('session_id', value);
      return client.isSignedIn();
    };

    const newer = (await during.signIn(user)).jar.get('session_id') ?? '';

    expect([await isKnown(before, cookie), await isKnown(during, cookie), await isKnown(after, cookie)]).toEqual([
      true,
      true,
      false,
    ]);
    expect([await isKnown(before, newer), await isKnown(during, newer), await isKnown(after, newer)]).toEqual([
      false,
      true,
      true,
    ]);
  });

  test('a cookie that no secret opens does no harm', async (t) => {
    const url = await ends(database, t);
    const { user, client } = await signedIn(await withSecret(t, url, OLD));
    const after = await withSecret(t, url, NEW);
    const stale = after.client();
    for (const [name, value] of client.jar) stale.jar.set(name, value);

    expect((await stale.page('/authsvc/login')).status).toBe(200);
    expect((await stale.page('/authsvc/test')).status).toBe(302);
    expect((await stale.login(user)).status).toBe(200);

    expect(await stale.isSignedIn()).toBe(true);
  });
});
