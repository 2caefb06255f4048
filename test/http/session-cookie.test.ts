import { expect, test } from 'vitest';
import { eachDatabase, freshDatabase } from '../support/each-database.ts';
import { startApp } from '../support/start-app.ts';

const [OLD, FRESH] = ['an-old-session-secret-0123456789-abcdef', 'a-fresh-session-secret-0123456789-abcdef'];

eachDatabase('the session cookie', (database) => {
  test('of two live ones the one that was given last counts, wherever it stands', async (t) => {
    const app = await startApp(t, { database });
    const [ada, bob] = [await app.seedUser(), await app.seedUser()];
    const older = (await app.signIn(ada)).jar.get('session_id');
    app.clock.advance(1000);
    const newer = (await app.signIn(bob)).jar.get('session_id');

    for (const cookie of [`session_id=${older}; session_id=${newer}`, `session_id=${newer}; session_id=${older}`]) {
      const reply = await app.client().get('/authsvc/api/account-sessions', { headers: { cookie } });
      expect(reply.body.accounts).toEqual([expect.objectContaining({ username: bob.username, is_current: true })]);
    }
  });

  test('sealed by a former secret it counts as long as that secret is listed', async (t) => {
    const shared = await freshDatabase(database);
    t.onTestFinished(shared.drop);
    const start = (SESSION_SECRET_KEY: string) => startApp(t, { database: shared, settings: { SESSION_SECRET_KEY } });
    const before = await start(OLD);
    const signedIn = await before.signIn(await before.seedUser());

    for (const [secrets, counts] of [
      [`${FRESH},${OLD}`, true],
      [FRESH, false],
    ] as const) {
      const client = (await start(secrets)).client();
      for (const [name, value] of signedIn.jar) client.jar.set(name, value);
      expect(await client.isSignedIn()).toBe(counts);
    }
  });

  test('sealed by a former secret it is given anew by the next page, and by nothing else', async (t) => {
    const shared = await freshDatabase(database);
    t.onTestFinished(shared.drop);
    const start = (SESSION_SECRET_KEY: string) => startApp(t, { database: shared, settings: { SESSION_SECRET_KEY } });
    const before = await start(OLD);
    const client = await before.signIn(await before.seedUser());
    const old = client.jar.get('session_id');
    const during = (await start(`${FRESH},${OLD}`)).client();
    for (const [name, value] of client.jar) during.jar.set(name, value);

    const checks = [await during.get('/authsvc/api/checkSession'), await during.post('/authsvc/test')];
    const page = await during.page('/authsvc/test');
    const next = await during.page('/authsvc/test');

    expect(checks.flatMap(({ cookies }) => cookies)).toEqual([]);
    expect([page.status, page.cookies.filter(({ name }) => name === 'session_id')]).toEqual([
      200,
      [expect.objectContaining({ isCleared: false })],
    ]);
    expect(during.jar.get('session_id')).not.toBe(old);
    expect(next.cookies.filter(({ name }) => name === 'session_id')).toEqual([]);
    const after = (await start(FRESH)).client();
    after.jar.set('session_id', during.jar.get('session_id') ?? '');
    expect(await after.isSignedIn()).toBe(true);
  });

  test('a page that sends a visitor elsewhere leaves no error in the log', async (t) => {
    const app = await startApp(t, { database });

    for (const path of ['/authsvc/test', '/authsvc/accounts', '/authsvc/2fa']) {
      expect((await app.client().page(path)).status).toBe(302);
    }

    expect(app.log().filter(({ level }) => level !== 'info')).toEqual([]);
  });
});
