import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { eachDatabase } from '../support/each-database.ts';
import { startApp } from '../support/start-app.ts';
import { codeOf, seedSecondFactorUser, sendCode } from '../support/totp.ts';
import { breakWrites, dumpDatabase, expectError, sharedApp } from './support.ts';

const LOGOUT = '/authsvc/api/logout';
const LOGOUT_ALL = '/authsvc/api/logout-all';

eachDatabase('logout', (database) => {
  const app = sharedApp({ database });

  test('ends the session of this browser and no other, and clears its cookie', async () => {
    const user = await app().seedUser();
    const [client, other] = [await app().signIn(user), await app().signIn(user)];
    const copy = client.clone();

    const reply = await client.logout();

    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({ success: true, message: 'Logout successful' });
    expect([await client.isSignedIn(), await copy.isSignedIn(), await other.isSignedIn()]).toEqual([
      false,
      false,
      true,
    ]);
    const [cleared] = reply.cookies.filter(({ name }) => name === 'session_id');
    expect(cleared).toMatchObject({
      value: '',
      isCleared: true,
      attributes: { path: '/', httponly: true, samesite: 'Lax' },
    });
  });

  test('exactly one of many simultaneous requests ends the session', async () => {
    const client = await app().signIn(await app().seedUser());
    const _csrf = await client.csrf();

    const replies = await Promise.all(Array.from({ length: 8 }, () => client.clone().post(LOGOUT, { _csrf })));

    expect(replies.map(({ status, body }) => `${status} ${body.message}`).sort()).toEqual([
      '200 Logout successful',
      ...Array.from({ length: 7 }, () => '400 Not logged in'),
    ]);
    expect(await client.isSignedIn()).toBe(false);
  });

  test.each([LOGOUT, LOGOUT_ALL])(
    'with %s also ends the session of an older cookie that the browser still sends',
    async (path) => {
      const [older, newer] = await Promise.all(
        [app().seedUser(), app().seedUser()].map(async (u) => app().signIn(await u)),
      );
      const _csrf = await newer?.csrf();
      const cookies = [...(newer?.jar ?? []), ['session_id', older?.jar.get('session_id')]];
      const cookie = cookies.map((pair) => pair.join('=')).join('; ');

      const reply = await newer?.clone().post(path, { _csrf }, { headers: { cookie } });

      expect(reply?.status).toBe(200);
      expect([await older?.isSignedIn(), await newer?.isSignedIn()]).toEqual([false, false]);
    },
  );

  test('makes the browser forget the pages in its cache', async () => {
    const client = await app().signIn(await app().seedUser());

    const { headers } = await client.logout();

    expect(headers['clear-site-data']).toContain('"cache"');
    expect(headers['cache-control']).toBe('no-store');
  });

  test('is refused if it is repeated, because then no one is logged in', async () => {
    const client = await app().signIn(await app().seedUser());
    const _csrf = await client.csrf();
    await client.post(LOGOUT, { _csrf });

    expectError(await client.post(LOGOUT, { _csrf }), 'NOT_LOGGED_IN');
  });

  test('is refused first for an invalid body, then for a missing session, then for an invalid CSRF token', async () => {
    const client = await app().signIn(await app().seedUser());
    const stranger = app().client();
    const _csrf = await stranger.csrf();

    expectError(await stranger.request('POST', LOGOUT, { raw: '{' }), 'BODY_INVALID');
    expectError(await client.request('POST', LOGOUT, { raw: '[]' }), 'BODY_INVALID');
    expectError(await stranger.post(LOGOUT, { _csrf }), 'NOT_LOGGED_IN');
    expectError(await stranger.post(LOGOUT, { _csrf: 'wrong' }), 'NOT_LOGGED_IN');
    expectError(await client.post(LOGOUT, { _csrf: 'wrong' }), 'CSRF_INVALID');
    expectError(await client.post(LOGOUT), 'CSRF_INVALID');
    expect(await client.isSignedIn()).toBe(true);
  });

  test('cannot end an expired session', async () => {
    const client = await app().signIn(await app().seedUser());
    const _csrf = await client.csrf();
    app().clock.advance(3 * 24 * 60 * 60 * 1000);

    expectError(await client.post(LOGOUT, { _csrf }), 'NOT_LOGGED_IN');
  });

  test('is recorded in the audit log', async () => {
    const user = await app().seedUser();
    await (await app().signIn(user)).logout();

    const lines = app()
      .log()
      .filter((line) => line.subject_id === user.id && line.audit === 'session.ended');
    expect(lines).toMatchObject([
      { details: { reason: 'logout', sessions: 1 }, request_id: expect.any(String), address: expect.any(String) },
    ]);
  });
});

eachDatabase('an unfinished sign-in that waits for its second step', (database) => {
  const app = sharedApp({ database, settings: { AUTHSVC_TWO_FA_ENABLE: 'true' } });
  const waiting = async () => (await dumpDatabase(app())).second_steps;

  test.each([LOGOUT, LOGOUT_ALL])('ends with %s of its browser, and not of another browser', async (path) => {
    const [carol, bob] = [await seedSecondFactorUser(app()), await app().seedUser()];
    const [client, elsewhere] = [await app().signIn(bob), app().client()];
    await client.login(carol);
    await elsewhere.login(carol);
    const copy = client.clone();
    const _csrf = await client.csrf('/authsvc/2fa');

    const reply = await client.post(path, { _csrf });

    expect(reply.status).toBe(200);
    expect(reply.cookies.find(({ name }) => name.startsWith('second_step.'))).toMatchObject({
      isCleared: true,
      attributes: { path: '/', httponly: true, samesite: 'Lax' },
    });
    for (const browser of [client, copy]) {
      expect((await browser.page('/authsvc/2fa')).headers.location).toBe('/authsvc/login');
      expectError(await sendCode(browser, codeOf(app(), carol.secret)), 'FIRST_STEP_REQUIRED');
    }
    expect((await sendCode(elsewhere, codeOf(app(), carol.secret))).status).toBe(200);
  });

  test('ends with logout-all even without a session, and so does the sign-in of a second cookie', async () => {
    const carol = await seedSecondFactorUser(app());
    const [client, other] = [app().client(), app().client()];
    await client.login(carol);
    await other.login(carol);
    const before = (await waiting())?.length;
    const cookie = [other, client]
      .flatMap(({ jar }) => [...jar].filter(([name]) => name.startsWith('second_step.')))
      .map((pair) => pair.join('='))
      .join('; ');

    const reply = await client.clone().post(LOGOUT_ALL, undefined, { headers: { cookie } });

    expect(reply.status).toBe(200);
    expect([before, await waiting()]).toEqual([2, []]);
  });

  test('continues if the logout is refused', async () => {
    const carol = await seedSecondFactorUser(app());
    const client = app().client();
    await client.login(carol);

    expectError(await client.post(LOGOUT, { _csrf: await client.csrf('/authsvc/2fa') }), 'NOT_LOGGED_IN');
    expect((await sendCode(client, codeOf(app(), carol.secret))).status).toBe(200);
  });

  test('opens no lasting session if its code is sent at the moment of logout-all', async () => {
    const [carol, bob] = [await seedSecondFactorUser(app()), await app().seedUser()];
    const client = await app().signIn(bob);
    await client.login(carol);
    const body = { token: codeOf(app(), carol.secret), _csrf: await client.csrf('/authsvc/2fa') };
    const sender = client.clone();

    const [sent, ended] = await Promise.all([
      sender.post('/authsvc/api/verify-2fa', body),
      client.clone().post(LOGOUT_ALL),
    ]);

    expect(ended.status).toBe(200);
    expect([200, 401]).toContain(sent.status);
    expect(await sender.isSignedIn()).toBe(false);
  });
});

eachDatabase('a logout that fails', (database) => {
  test('says so, and keeps the session and the cookie', async (t) => {
    const app = await startApp(t, { database });
    const client = await app.signIn(await app.seedUser());
    const _csrf = await client.csrf();
    await breakWrites(app, 'sessions', 'delete');
    const before = await dumpDatabase(app);

    const reply = await client.post(LOGOUT, { _csrf });

    expectError(reply, 'LOGOUT_FAILED');
    expect(reply.cookies).toEqual([]);
    expect(reply.headers['clear-site-data']).toBeUndefined();
    expect(await dumpDatabase(app)).toEqual(before);
    expect(await client.isSignedIn()).toBe(true);
  });

  test('gets 500, not "not logged in", if the session cannot be read', async (t) => {
    const app = await startApp(t, { database });
    const client = await app.signIn(await app.seedUser());
    const _csrf = await client.csrf();
    await sql`alter table sessions rename to sessions_away`.execute(app.services.database.kysely);

    const reply = await client.post(LOGOUT, { _csrf });

    expectError(reply, 'LOGOUT_FAILED');
    expect(reply.cookies).toEqual([]);
  });
});
