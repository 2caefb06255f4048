import { expect, test } from 'vitest';
import { endAllSessions } from '../../src/sessions/end-sessions.ts';
import { changeUser } from '../../src/users/change-user.ts';
import { eachDatabase } from '../support/each-database.ts';
import { MAIN_SECRET, startApp, type TestApp } from '../support/start-app.ts';
import { seedSecondFactorUser } from '../support/totp.ts';
import { breakWrites, dumpDatabase, expectError, sharedApp } from './support.ts';

const terminate = (app: TestApp, authorization: string | undefined, client = app.client()) =>
  client.post('/authsvc/api/terminateAllSessions', undefined, { headers: { authorization } });

eachDatabase('terminateAllSessions', (database) => {
  const app = sharedApp({ database, settings: { AUTHSVC_TWO_FA_ENABLE: 'true' } });

  test('ends all sessions of all users and clears the cookie of the caller', async () => {
    const users = await Promise.all([app().seedUser(), app().seedUser({ role: 'superadmin' })]);
    const clients = await Promise.all([...users, ...users].map((user) => app().signIn(user)));
    const [first] = clients;

    const reply = await terminate(app(), MAIN_SECRET, first);

    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({ success: true, message: expect.any(String) });
    expect(reply.cookies.filter(({ name }) => name === 'session_id')).toMatchObject([{ isCleared: true }]);
    expect((await dumpDatabase(app())).sessions).toEqual([]);
    expect(await Promise.all(clients.map((client) => client.isSignedIn()))).toEqual([false, false, false, false]);
    expect(
      app()
        .log()
        .filter((line) => line.audit === 'sessions.ended_all'),
    ).toMatchObject([{ actor_type: 'main_secret', details: { sessions: 4 } }]);
  });

  test('ends unfinished sign-ins, and so does the command that ends all sessions', async () => {
    const user = await seedSecondFactorUser(app());
    for (const endAll of [() => terminate(app(), MAIN_SECRET), () => endAllSessions(app().change())]) {
      await app().client().login(user);
      expect((await dumpDatabase(app())).second_steps).toHaveLength(1);

      await endAll();

      expect((await dumpDatabase(app())).second_steps).toEqual([]);
    }
  });

  test('everyone can sign in again at once', async () => {
    const user = await app().seedUser();
    await terminate(app(), MAIN_SECRET);

    expect((await app().client().login(user)).status).toBe(200);
  });

  test.each([
    ['no token', undefined],
    ['an empty token', ''],
    ['another token of the same length', 'x'.repeat(MAIN_SECRET.length)],
    ['a part of the token', MAIN_SECRET.slice(0, -1)],
    ['a longer token that begins with it', `${MAIN_SECRET}x`],
    ['the token in capital letters', MAIN_SECRET.toUpperCase()],
    ['the token behind a scheme', `Bearer ${MAIN_SECRET}`],
  ])('the secret token must match exactly, so %s is refused', async (_what, given) => {
    const client = await app().signIn(await app().seedUser({ role: 'superadmin' }));

    expectError(await terminate(app(), given, client), 'MAIN_SECRET_REQUIRED');

    expect(await client.isSignedIn()).toBe(true);
  });

  test('a token in the body or in the query is ignored', async () => {
    const path = `/authsvc/api/terminateAllSessions?authorization=${MAIN_SECRET}`;

    expectError(
      await app().client().post(path, { authorization: MAIN_SECRET, token: MAIN_SECRET }),
      'MAIN_SECRET_REQUIRED',
    );
  });
});

eachDatabase('terminateAllSessions on a service', (database) => {
  test('without MAIN_SECRET_TOKEN refuses everyone', async (t) => {
    const app = await startApp(t, { database, settings: { MAIN_SECRET_TOKEN: '' } });

    for (const given of [undefined, '', ' ', 'undefined', 'null', MAIN_SECRET]) {
      expectError(await terminate(app, given), 'MAIN_SECRET_REQUIRED');
    }
  });

  test('with a failing database reports the failure, and signs no one out', async (t) => {
    const app = await startApp(t, { database });
    const client = await app.signIn(await app.seedUser());
    await breakWrites(app, 'sessions', 'delete');

    const reply = await terminate(app, MAIN_SECRET, client);

    expectError(reply, 'TERMINATE_FAILED');
    expect(reply.cookies).toEqual([]);
    expect(await client.isSignedIn()).toBe(true);
  });
});

eachDatabase('validate-superadmin', (database) => {
  const app = sharedApp({ database });
  const PATH = '/authsvc/validate-superadmin';

  test('says who the superadmin is', async () => {
    const root = await app().seedUser({ role: 'superadmin' });

    const reply = await (await app().signIn(root)).get(PATH);

    expect(reply.status).toBe(200);
    const user = { user_id: root.id, username: root.username, role: 'superadmin' };
    expect(reply.body).toEqual({ success: true, message: expect.any(String), user });
    expect(reply.headers['cache-control']).toBe('no-store');
  });

  test('refuses everyone but superadmins: 401 without a session, 403 with another role', async () => {
    const client = await app().signIn(await app().seedUser());

    expectError(await app().client().get(PATH), 'NOT_SIGNED_IN');
    expectError(await client.get(PATH), 'SUPERADMIN_REQUIRED');
  });

  test('uses the current role, not the role at the sign-in', async () => {
    const root = await app().seedUser({ role: 'superadmin' });
    const client = await app().signIn(root);

    await changeUser(app().change(), root.username, { role: 'normaluser' });
    expectError(await client.get(PATH), 'SUPERADMIN_REQUIRED');
    await changeUser(app().change(), root.username, { role: 'superadmin' });
    expect((await client.get(PATH)).status).toBe(200);
  });
});
