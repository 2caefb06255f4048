import { hash as argon2 } from '@node-rs/argon2';
import { expect, test } from 'vitest';
import { changeUser } from '../../src/users/change-user.ts';
import { findUser } from '../../src/users/find-user.ts';
import { deleteUser, replacePasswordHash, setPasswordHash, userByKey } from '../../src/users/queries.ts';
import { eachDatabase } from '../support/each-database.ts';
import { PASSWORD, startApp, type TestApp } from '../support/start-app.ts';
import { seedSecondFactorUser } from '../support/totp.ts';
import { breakWrites, dumpDatabase, expectError, sharedApp } from './support.ts';

const login = (app: TestApp, body: unknown) => app.client().post('/authsvc/api/login', body);
const hashOf = async (app: TestApp, key: string) =>
  (await userByKey.first(app.services.database, { key }))?.password_hash ?? '';

/** Runs `work` after the user's row was read and before the verification of the password ends. */
function duringVerification(app: TestApp, work: () => Promise<unknown>): void {
  const { verify } = app.services.passwords;
  app.services.passwords.verify = async (hash, password) => {
    const isRight = await verify(hash, password);
    app.services.passwords.verify = verify;
    await work();
    return isRight;
  };
}

eachDatabase('password login', (database) => {
  const app = sharedApp({ database });

  test.each(['bob\u034f', 'bob\u2800', 'b  ob'])('an older user can still sign in as %j', async (username) => {
    const { id, password } = await app().seedUser();
    const { kysely } = app().services.database;
    await kysely.updateTable('users').set({ username, username_key: username }).where('id', '=', id).execute();

    expect((await login(app(), { username, password })).status).toBe(200);
    expectError(await login(app(), { username: 'bob', password }), 'USER_UNKNOWN');
  });

  test('the right password opens a session and sets one sealed cookie with the same expiry', async () => {
    const ada = await app().seedUser({ username: 'ada' });
    const client = app().client();

    const reply = await client.login(ada);

    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({ success: true, message: 'Login successful', redirect_url: '/authsvc/' });
    const cookie = reply.cookies.find(({ name }) => name === 'session_id');
    expect(cookie?.attributes).toMatchObject({ httponly: true, samesite: 'Lax', path: '/' });
    expect(cookie?.value).toMatch(/^v1\./);
    const { body } = await client.get('/authsvc/api/checkSession');
    expect(body.session_valid).toBe(true);
    const end = Date.parse(String(cookie?.attributes.expires));
    expect(Math.abs(Date.parse(String(body.expiry)) - end)).toBeLessThan(1500);
    expect(Math.abs(Number(cookie?.attributes['max-age']) - 2 * 24 * 60 * 60)).toBeLessThan(3);
  });

  test('the cookie reveals neither the session id nor the user, and is different each time', async () => {
    const bea = await app().seedUser({ username: 'bea-the-visible' });

    const [first, second] = [await app().client().login(bea), await app().client().login(bea)];

    const values = [first, second].map((reply) => reply.cookies.find(({ name }) => name === 'session_id')?.value ?? '');
    expect(new Set(values).size).toBe(2);
    const { sessions = [] } = await dumpDatabase(app());
    const ids = sessions.map((row) => /"id":"([^"]+)"/.exec(row)?.[1] ?? 'none');
    for (const value of values) {
      const plain = Buffer.from(value.slice(3), 'base64url').toString('latin1');
      for (const secret of ['bea-the-visible', ...ids]) expect(`${value} ${plain}`).not.toContain(secret);
    }
  });

  test('the last method of sign-in is remembered in a cookie that scripts may read', async () => {
    const reply = await app()
      .client()
      .login(await app().seedUser());

    const cookie = reply.cookies.find(({ name }) => name === 'last_login_method');
    expect(cookie).toMatchObject({ value: 'password', attributes: { samesite: 'Lax', path: '/' } });
    expect(cookie?.attributes.httponly).toBeUndefined();
  });

  test.each([
    ['no fields', {}],
    ['no username', { password: PASSWORD }],
    ['no password', { username: 'somebody' }],
    ['null for both fields', { username: null, password: null }],
    ['null for the username and a short password', { username: null, password: 'short' }],
    ['a blank username', { username: ' \t ', password: PASSWORD }],
    ['no password and a username of the wrong type', { username: 5 }],
    ['an empty username', { username: '', password: PASSWORD }],
    ['an empty password', { username: 'somebody', password: '' }],
    ['no username and a password of the wrong type', { password: 5 }],
    ['a username of the wrong type and null for the password', { username: 5, password: null }],
    ['a username of the wrong type and an empty password', { username: 5, password: '' }],
    ['a username that is too long and an empty password', { username: 'u'.repeat(256), password: '' }],
    ['a username that is too long and no password', { username: 'u'.repeat(256) }],
    ['a blank username and a password of the wrong type', { username: ' ', password: 5 }],
    ['an empty username and a password of the wrong type', { username: '', password: 5 }],
    ['a blank username and a password that is too short', { username: ' ', password: 'short' }],
    ['a blank username and a password that is too long', { username: ' ', password: 'p'.repeat(256) }],
  ])('a login with %s is refused, because username and password are required', async (_what, body) => {
    expectError(await login(app(), body), 'CREDENTIALS_REQUIRED');
  });

  test.each([
    ['of 256 characters', 'u'.repeat(256)],
    ['of 60 000 characters', 'u'.repeat(60_000)],
    ['with a NUL', 'ad\0a'],
    ['with a line break', 'ad\na'],
    ['with an unpaired surrogate', 'ad\uD800a'],
    ['with a zero-width space', 'ad\u200Ba'],
    ['that is a number', 5],
    ['that is a list', ['ada']],
    ['that is an object', { $gt: '' }],
    ['that is a boolean', true],
  ])('a username %s is refused before the password is checked', async (_what, username) => {
    for (const password of ['short', 'p'.repeat(256), 5, ['x'], {}]) {
      expectError(await login(app(), { username, password }), 'USERNAME_INVALID');
      expectError(await login(app(), { password, username }), 'USERNAME_INVALID');
    }
  });

  test.each([
    ['of 7 characters', 'seven-7'],
    ['of 7 emoji', '🐎'.repeat(7)],
    ['that is a number', 12_345_678],
    ['that is an object', { length: 9 }],
  ])('a password %s is refused as too short for every user', async (_what, password) => {
    expectError(await login(app(), { username: 'nobody-at-all', password }), 'PASSWORD_TOO_SHORT');
  });

  test.each([256, 5000, 60_000])('a password of %i characters is refused as too long', async (length) => {
    expectError(await login(app(), { username: 'nobody-at-all', password: 'p'.repeat(length) }), 'PASSWORD_TOO_LONG');
  });

  test('an unknown user gets 404 with the message for a wrong password', async () => {
    expectError(await login(app(), { username: 'u'.repeat(255), password: 'p'.repeat(255) }), 'USER_UNKNOWN');
  });

  test('a wrong password is refused and sets no cookie', async () => {
    const user = await app().seedUser();

    const reply = await login(app(), { username: user.username, password: 'wrong-horse' });

    expectError(reply, 'PASSWORD_INCORRECT');
    expect(reply.cookies).toEqual([]);
  });

  test('an inactive account is reported as inactive only if the password is right', async () => {
    const user = await app().seedUser({ isInactive: true, apps: ['elsewhere'] });

    expectError(await login(app(), { username: user.username, password: 'wrong-horse' }), 'PASSWORD_INCORRECT');
    const reply = await login(app(), { username: user.username, password: PASSWORD });

    expectError(reply, 'ACCOUNT_INACTIVE');
    expect(reply.cookies).toEqual([]);
  });

  test('a user without access to this application is refused, a superadmin without it is not', async () => {
    const user = await app().seedUser({ apps: ['elsewhere', 'authsvc2', 'auth'] });
    const root = await app().seedUser({ apps: ['elsewhere'], role: 'superadmin' });

    expectError(await login(app(), { username: user.username, password: 'wrong-horse' }), 'PASSWORD_INCORRECT');
    expectError(await login(app(), { username: user.username, password: PASSWORD }), 'APP_NOT_ALLOWED');
    expect((await app().client().login(root)).status).toBe(200);
  });

  test('names of applications are compared without regard to case', async () => {
    const user = await app().seedUser({ apps: ['AuthSVC'] });

    expect((await app().client().login(user)).status).toBe(200);
  });

  test('a username may have another case or composition and spaces around it, but a password may not', async () => {
    const user = await app().seedUser({ username: 'Zo\u00EB', password: 'Gr\u00FCn-K\u00E4se-42' });
    const entries: [string, string, number][] = [
      ['zo\u00EB', user.password, 200],
      ['ZOE\u0308', 'Gru\u0308n-Ka\u0308se-42', 200],
      ['  Zoe\u0308 ', user.password, 200],
      ['Zoe', user.password, 404],
      ['Zo\u00EB', 'gr\u00FCn-k\u00E4se-42', 401],
      ['Zo\u00EB', ` ${user.password}`, 401],
      ['Zo\u00EB', `${user.password} `, 401],
    ];

    for (const [username, password, status] of entries) {
      expect([username, password, (await login(app(), { username, password })).status]).toEqual([
        username,
        password,
        status,
      ]);
    }
  });

  test('a password is compared as a whole, beyond 72 bytes, and with its spaces and emoji', async () => {
    const long = await app().seedUser({ password: `${'long-'.repeat(50)}right` });
    const odd = await app().seedUser({ password: ' 🐎🐎 spaces\tand 🐎 ' });

    expect((await app().client().login(long)).status).toBe(200);
    expect(
      (
        await app()
          .client()
          .login({ ...long, password: `${'long-'.repeat(50)}wrong` })
      ).status,
    ).toBe(401);
    expect((await app().client().login(odd)).status).toBe(200);
    expect(
      (
        await app()
          .client()
          .login({ ...odd, password: odd.password.trim() })
      ).status,
    ).toBe(401);
  });

  test('users with passwords of 8 and of 255 characters can sign in', async () => {
    for (const password of ['eight-8!', '🐎'.repeat(255)]) {
      expect(
        (
          await app()
            .client()
            .login(await app().seedUser({ password }))
        ).status,
      ).toBe(200);
    }
  });

  test.each(["' OR '1'='1", "ada'--", '%', '_da', 'ada\\', '"; DROP TABLE users;--', '$1', '\u0130'])(
    'the username %j is treated as plain text',
    async (username) => {
      await app().seedUser({ username: `real-${username.length}-${Buffer.from(username).toString('hex')}` });

      expectError(await login(app(), { username, password: PASSWORD }), 'USER_UNKNOWN');
    },
  );

  test('unknown fields are ignored, and none of them changes a prototype', async () => {
    const user = await app().seedUser();
    const fields = `"username":${JSON.stringify(user.username)},"password":"${PASSWORD}"`;
    const bodies = [
      `{${fields},"role":"superadmin","is_active":false,"x":{"y":[1]}}`,
      `{${fields},"__proto__":{"role":"superadmin"},"constructor":{"prototype":{"role":"superadmin"}}}`,
      `{"username":"nobody","password":"not-this-one",${fields}}`,
    ];

    for (const raw of bodies) {
      const client = app().client();
      const reply = await client.request('POST', '/authsvc/api/login', { raw });
      expect([raw, reply.status]).toEqual([raw, 200]);
      expect((await client.get('/authsvc/validate-superadmin')).status).toBe(403);
    }
    expect({}).not.toHaveProperty('role');
  });

  test('a session id from before the sign-in is worthless after it', async () => {
    const user = await app().seedUser();
    const victim = app().client();
    victim.jar.set('session_id', 'planted');
    await victim.page('/authsvc/login');
    await victim.login(user);
    const before = victim.clone();

    await victim.login(user);

    expect(victim.jar.get('session_id')).not.toBe(before.jar.get('session_id'));
    expect(await victim.isSignedIn()).toBe(true);
    expect(await before.isSignedIn()).toBe(false);
  });

  test('a refused sign-in does not affect the session of the browser', async () => {
    const user = await app().seedUser();
    const client = await app().signIn(user);

    const reply = await client.login({ ...user, password: 'wrong-horse' });

    expect(reply.status).toBe(401);
    expect(reply.cookies).toEqual([]);
    expect(await client.isSignedIn()).toBe(true);
  });

  test('the time of a sign-in is stored, that of a refused one is not', async () => {
    const user = await app().seedUser({ username: 'punctual' });
    await app()
      .client()
      .login({ ...user, password: 'wrong-horse' });
    expect((await app().user('punctual'))?.lastLoginAt).toBeNull();
    app().clock.advance(60_000);
    const from = app().clock.now();

    await app().client().login(user);

    const at = (await app().user('punctual'))?.lastLoginAt ?? 0;
    expect(at).toBeGreaterThanOrEqual(from);
    expect(at).toBeLessThanOrEqual(app().clock.now());
  });

  test('a password hash with other parameters is renewed at the sign-in, and only by the right password', async () => {
    const user = await app().seedUser({ username: 'weakly-hashed' });
    const old = await argon2(PASSWORD, { memoryCost: 8192, timeCost: 1, parallelism: 1 });
    await setPasswordHash.run(app().services.database, { id: user.id, hash: old });

    await app()
      .client()
      .login({ ...user, password: 'wrong-horse' });
    expect(await hashOf(app(), 'weakly-hashed')).toBe(old);
    const reply = await app().client().login(user);

    const renewed = await hashOf(app(), 'weakly-hashed');
    expect(reply.status).toBe(200);
    expect(renewed).not.toBe(old);
    expect(app().services.passwords.needsRehash(renewed)).toBe(false);
    expect((await app().client().login(user)).status).toBe(200);
    expect(await hashOf(app(), 'weakly-hashed')).toBe(renewed);
  });

  test('of ten simultaneous sign-ins after a change of the hashing parameters all succeed, and only one new hash is written', async (t) => {
    const own = await startApp(t, { database });
    const user = await own.seedUser({ username: 'hashed-before' });
    const old = await argon2(PASSWORD, { memoryCost: 8192, timeCost: 1, parallelism: 1 });
    await setPasswordHash.run(own.services.database, { id: user.id, hash: old });
    const written: string[] = [];
    const { hash } = own.services.passwords;
    own.services.passwords.hash = async (...given) => {
      const made = await hash(...given);
      written.push(made);
      return made;
    };

    const replies = await Promise.all(Array.from({ length: 10 }, () => own.client().login(user)));

    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    const kept = await hashOf(own, 'hashed-before');
    expect(written).toContain(kept);
    expect((await own.client().login(user)).status).toBe(200);
    expect(await hashOf(own, 'hashed-before')).toBe(kept);
  });

  test('a sign-in succeeds although another process renews the hash while the password is verified', async (t) => {
    const own = await startApp(t, { database, settings: { AUTHSVC_TWO_FA_ENABLE: 'true' } });
    const [ada, carol] = [await own.seedUser(), await seedSecondFactorUser(own)];
    for (const user of [ada, carol]) {
      const before = (await findUser(own.services.database, user.username))?.passwordHash ?? '';
      const renewed = await own.services.passwords.hash(PASSWORD);
      const renew = { id: user.id, old: before, hash: renewed };
      duringVerification(own, () => replacePasswordHash.run(own.services.database, renew));

      expect((await own.client().login(user)).status).toBe(200);
    }
  });

  test.each(['not a hash', '$2b$10$abcdefghijklmnopqrstuv', '$argon2id$v=19$m=19456,t=2,p=1$'])(
    'the stored hash %j lets no one in, and is reported as a fault and not as a wrong password',
    async (hash) => {
      const user = await app().seedUser();
      await setPasswordHash.run(app().services.database, { id: user.id, hash });

      expectError(await login(app(), { username: user.username, password: PASSWORD }), 'LOGIN_FAILED');
    },
  );

  test('a refusal is recorded in the audit log with its reason, but never the typed password', async () => {
    const user = await app().seedUser({ username: 'audited' });
    const typed = 'a-password-typed-as-a-name';
    await login(app(), { username: typed, password: 'wrong-horse-here' });
    await login(app(), { username: user.username, password: 'wrong-horse-here' });
    await app().client().login(user);

    const lines = app()
      .log()
      .filter((line) => line.subject_id === user.id && line.audit !== undefined);
    expect(lines.map((line) => line.audit)).toEqual(['user.created', 'sign_in.refused', 'user.signed_in']);
    const text = JSON.stringify(app().log());
    for (const secret of [typed, 'wrong-horse-here', PASSWORD]) expect(text).not.toContain(secret);
  });
});

eachDatabase('a login during which the account changes or the database fails', (database) => {
  test('opens no session if the password is changed while it is verified', async (t) => {
    const app = await startApp(t, { database });
    const user = await app.seedUser();
    const hash = await app.services.passwords.hash('the-newer-password');
    duringVerification(app, () => setPasswordHash.run(app.services.database, { id: user.id, hash }));

    const reply = await app.client().login(user);

    expectError(reply, 'PASSWORD_INCORRECT');
    expect((await dumpDatabase(app)).sessions).toEqual([]);
    expect((await app.user(user.username))?.lastLoginAt).toBeNull();
  });

  test('starts no second step if the password is changed while it is verified', async (t) => {
    const app = await startApp(t, { database, settings: { AUTHSVC_TWO_FA_ENABLE: 'true' } });
    const user = await seedSecondFactorUser(app);
    const hash = await app.services.passwords.hash('the-newer-password');
    duringVerification(app, () => setPasswordHash.run(app.services.database, { id: user.id, hash }));

    const reply = await app.client().login(user);

    expectError(reply, 'PASSWORD_INCORRECT');
    expect(reply.cookies).toEqual([]);
    expect(await app.services.database.kysely.selectFrom('second_steps').selectAll().execute()).toEqual([]);
  });

  test('opens no session if the user is deactivated while the password is verified', async (t) => {
    const app = await startApp(t, { database });
    const user = await app.seedUser();
    duringVerification(app, () => changeUser(app.change(), user.username, { isActive: false }));

    const reply = await app.client().login(user);

    expect([401, 403]).toContain(reply.status);
    expect(reply.cookies).toEqual([]);
    expect((await dumpDatabase(app)).sessions).toEqual([]);
  });

  test('opens no session if the user is removed while the password is verified', async (t) => {
    const app = await startApp(t, { database });
    const user = await app.seedUser();
    duringVerification(app, () => deleteUser.run(app.services.database, { id: user.id }));

    const reply = await app.client().login(user);

    expectError(reply, 'PASSWORD_INCORRECT');
    expect((await dumpDatabase(app)).sessions).toEqual([]);
  });

  test('keeps a new password that is set while an old hash is renewed', async (t) => {
    const app = await startApp(t, { database });
    const user = await app.seedUser({ username: 'renewed' });
    const { database: handle, passwords } = app.services;
    await setPasswordHash.run(handle, {
      id: user.id,
      hash: await argon2(PASSWORD, { memoryCost: 8192, timeCost: 1, parallelism: 1 }),
    });
    const newer = await passwords.hash('the-newer-password');
    duringVerification(app, () => setPasswordHash.run(handle, { id: user.id, hash: newer }));

    expectError(await app.client().login(user), 'PASSWORD_INCORRECT');

    expect(await hashOf(app, 'renewed')).toBe(newer);
  });

  test('gets error 605, sets no cookie and changes nothing if the session cannot be written', async (t) => {
    const app = await startApp(t, { database });
    const user = await app.seedUser();
    await breakWrites(app, 'sessions', 'insert');
    const before = await dumpDatabase(app);

    const reply = await app.client().login(user);

    expectError(reply, 'LOGIN_FAILED');
    expect(reply.body.error_code).toBe(605);
    expect(reply.cookies).toEqual([]);
    expect(reply.text).not.toContain('broken on purpose');
    expect(await dumpDatabase(app)).toEqual(before);
  });
});

eachDatabase('the number of sessions of one user', (database) => {
  test('a login above the limit ends the oldest session, and affects no other user', async (t) => {
    const app = await startApp(t, { database, settings: { MAX_SESSIONS_PER_USER: '2' } });
    const [user, other] = [await app.seedUser(), await app.seedUser()];
    const bystander = await app.signIn(other);
    const clients = [];
    for (let i = 0; i < 4; i += 1) {
      clients.push(await app.signIn(user));
      app.clock.advance(1000);
    }

    const states = await Promise.all([...clients, bystander].map((client) => client.isSignedIn()));

    expect(states).toEqual([false, false, true, true, true]);
  });

  test('with a limit of one only the newest session stays', async (t) => {
    const app = await startApp(t, { database, settings: { MAX_SESSIONS_PER_USER: '1' } });
    const user = await app.seedUser();
    const [first, second] = [await app.signIn(user), await app.signIn(user)];

    expect([await first.isSignedIn(), await second.isSignedIn()]).toEqual([false, true]);
  });

  test('expired sessions do not count', async (t) => {
    const app = await startApp(t, { database, settings: { MAX_SESSIONS_PER_USER: '2', COOKIE_EXPIRE_TIME: '1' } });
    const user = await app.seedUser();
    await app.signIn(user);
    await app.signIn(user);
    app.clock.advance(24 * 60 * 60 * 1000 + 1);

    const [third, fourth] = [await app.signIn(user), await app.signIn(user)];

    expect([await third.isSignedIn(), await fourth.isSignedIn()]).toEqual([true, true]);
    expect((await dumpDatabase(app)).sessions).toHaveLength(2);
  });

  test('twenty simultaneous logins through two processes leave exactly as many sessions as are allowed', async (t) => {
    const settings = { MAX_SESSIONS_PER_USER: '3' };
    const app = await startApp(t, { database, settings });
    const url = app.services.settings.DATABASE_URL;
    const twin = await startApp(t, { database: { url, folder: '/nowhere', drop: async () => undefined }, settings });
    const user = await app.seedUser();
    const clients = Array.from({ length: 20 }, (_, at) => (at % 2 ? twin : app).client());

    const replies = await Promise.all(clients.map((client) => client.login(user)));

    expect(replies.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect((await dumpDatabase(app)).sessions).toHaveLength(3);
    const states = await Promise.all(clients.map((client) => client.isSignedIn()));
    expect(states.filter(Boolean)).toHaveLength(3);
  });
});

eachDatabase('LOGIN_UNKNOWN_USER_STATUS=401', (database) => {
  test('the reply does not reveal whether the user exists, and a password is verified once in either case', async (t) => {
    const app = await startApp(t, { database, settings: { LOGIN_UNKNOWN_USER_STATUS: '401' } });
    const user = await app.seedUser();
    const { verifyNothing } = app.services.passwords;
    let decoys = 0;
    app.services.passwords.verifyNothing = (password) => {
      decoys += 1;
      return verifyNothing(password);
    };

    const known = await login(app, { username: user.username, password: 'wrong-horse' });
    expect(decoys).toBe(0);
    const unknown = await login(app, { username: 'nobody-at-all', password: 'wrong-horse' });

    expectError(known, 'PASSWORD_INCORRECT');
    expectError(unknown, 'PASSWORD_INCORRECT');
    expect(decoys).toBe(1);
    expect(unknown.headers['content-length']).toBe(known.headers['content-length']);
  });
});

test('when a client fills its part of the hashing queue, its logins get 503 with Retry-After, and others are served', async (t) => {
  const app = await startApp(t, { database: 'sqlite', settings: { env: 'dev', RATE_LIMITS: 'off' } });
  const user = await app.seedUser();
  const client = await app.signIn(user);
  const address = '192.0.2.1';
  const isBusy = { now: true };
  const keepBusy = async () => {
    while (isBusy.now)
      await app.services.passwords
        .hash(PASSWORD, { client: address })
        .catch(() => new Promise((go) => setTimeout(go, 5)));
  };
  const crowd = Promise.all(Array.from({ length: 500 }, keepBusy));

  // Each time a hash ends, one of these sign-ins may get a place in the queue.
  const attempts = await Promise.all(
    Array.from({ length: 10 }, () => app.client().login({ username: 'nobody', password: PASSWORD }, { address })),
  );
  const check = await client.get('/authsvc/api/checkSession', { address });
  const elsewhere = await login(app, user);
  isBusy.now = false;
  await crowd;

  const refused = attempts.filter(({ status }) => status === 503);
  expect(refused.length).toBeGreaterThan(0);
  for (const reply of refused) {
    expectError(reply, 'OVERLOADED');
    expect(Number(reply.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  }
  expect(check.body.session_valid).toBe(true);
  expect(elsewhere.status).toBe(200);
  expect((await login(app, user)).status).toBe(200);
});
