import { expect, test } from 'vitest';
import { endUserSessions } from '../../src/sessions/end-sessions.ts';
import { changeUser } from '../../src/users/change-user.ts';
import type { Client, Reply } from '../support/client.ts';
import { eachDatabase, freshDatabase } from '../support/each-database.ts';
import { type SeededUser, startApp } from '../support/start-app.ts';
import { sharedApp } from './support.ts';

const [OLD, FRESH] = ['an-old-session-secret-0123456789-abcdef', 'a-fresh-session-secret-0123456789-abcdef'];

eachDatabase('the session cookie', (database) => {
  test('of the newer session is used if the browser sends two valid cookies, in any order', async (t) => {
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

  test('sealed with an old secret is accepted as long as that secret is listed', async (t) => {
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

  test('sealed with an old secret is replaced by the next page, and by nothing else', async (t) => {
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

  test('that is missing causes no warning and no error in the log: a page redirects the visitor', async (t) => {
    const app = await startApp(t, { database });

    for (const path of ['/authsvc/test', '/authsvc/accounts', '/authsvc/2fa']) {
      expect((await app.client().page(path)).status).toBe(302);
    }

    expect(app.log().filter(({ level }) => level !== 'info')).toEqual([]);
  });
});

const HOSTS = {
  IS_DEPLOYED: 'true',
  BASE_URL: 'https://auth.corp.example.test',
  LOGIN_UNKNOWN_USER_STATUS: '401',
};
const LOGOUT = '/authsvc/api/logout';

/** Returns the Domain of each Set-Cookie header that clears the session cookie, in their order. */
const clearedForms = ({ cookies }: Reply) =>
  cookies
    .filter(({ name, isCleared }) => name === 'session_id' && isCleared)
    .map(({ attributes }) => attributes.domain);

eachDatabase('session cookies that a browser has with several values of Domain', (database) => {
  const app = sharedApp({ database, settings: { ...HOSTS, DOMAIN: 'example.test' } });
  const forms = [undefined, '.auth.corp.example.test', '.corp.example.test'];

  test('a sign-in clears session cookies from before DOMAIN was set, with each Domain except that of the new cookie', async () => {
    const user = await app().seedUser();
    const [first, again] = [app().client(), app().client()];

    const fresh = await first.login(user);
    again.jar.set('session_id', 'from-before');
    const reply = await again.login(user);

    expect(clearedForms(fresh)).toEqual([]);
    expect(clearedForms(reply)).toEqual(forms);
    expect(reply.cookies.filter(({ name }) => name === 'session_id').at(-1)).toMatchObject({
      isCleared: false,
      attributes: { domain: '.example.test', secure: true },
    });
  });

  test('a logout clears the session cookie with each Domain, the current Domain last, and clears no other cookie', async () => {
    const client = await app().signIn(await app().seedUser());

    const reply = await client.logout();

    expect(reply.status).toBe(200);
    expect(clearedForms(reply)).toEqual([...forms, '.example.test']);
    expect(reply.cookies.filter(({ name }) => name !== 'session_id')).toEqual([]);
    expect(reply.cookies.at(-1)?.attributes.domain).toBe('.example.test');
  });

  test('an account switch and a logout of all accounts clear the session cookie with each Domain too', async () => {
    const [ada, bob] = [await app().seedUser(), await app().seedUser()];
    const client = await app().signIn(ada);
    await client.login(bob);
    const { body } = await client.get('/authsvc/api/account-sessions');
    const [, other] = Array.isArray(body.accounts) ? body.accounts : [];

    const switched = await client.post('/authsvc/api/switch-session', { session_id: other.session_id });
    const ended = await client.post('/authsvc/api/logout-all');

    expect(switched.status).toBe(200);
    expect(clearedForms(switched)).toEqual(forms);
    expect(clearedForms(ended)).toEqual([...forms, '.example.test']);
    expect(ended.cookies.map(({ name }) => name)).toContain('__Host-remembered_accounts');
  });

  test('without DOMAIN, a cookie that was set with a Domain is cleared, and the host-only cookie is cleared last', async (t) => {
    const own = await startApp(t, { database, settings: HOSTS });
    const client = await own.signIn(await own.seedUser());

    const reply = await client.logout();

    expect(clearedForms(reply)).toEqual(['.auth.corp.example.test', '.corp.example.test', '.example.test', undefined]);
  });
});

eachDatabase('a logout of a session that has ended', (database) => {
  const app = sharedApp({ database });
  const isCleared = (reply: Reply) => reply.cookies.some((cookie) => cookie.name === 'session_id' && cookie.isCleared);
  const logOutAs = async (user: SeededUser, change: (client: Client) => Promise<unknown>) => {
    const client = await app().signIn(user);
    const _csrf = await client.csrf();
    await change(client);
    const reply = await client.post(LOGOUT, { _csrf });
    expect([reply.status, reply.body.code]).toEqual([400, 'NOT_LOGGED_IN']);
    return isCleared(reply);
  };

  test('clears the cookie together with the error reply', async () => {
    const user = await app().seedUser();

    expect(await logOutAs(user, () => endUserSessions(app().change(), user, 'command'))).toBe(true);
  });

  test('clears the cookie if the session has expired', async (t) => {
    const own = await startApp(t, { database });
    const client = await own.signIn(await own.seedUser());
    const _csrf = await client.csrf();
    own.clock.advance(3 * 24 * 60 * 60 * 1000);

    expect(isCleared(await client.post(LOGOUT, { _csrf }))).toBe(true);
  });

  test('keeps the cookie of a session that is only suspended', async () => {
    const [ada, bob] = [await app().seedUser(), await app().seedUser()];

    const withoutApp = () => changeUser(app().change(), ada.username, { apps: ['elsewhere'] });

    expect(await logOutAs(ada, withoutApp)).toBe(false);
    const [dead, asleep] = [await app().signIn(bob), await app().signIn(bob)];
    const _csrf = await asleep.csrf();
    await dead.logout();
    await changeUser(app().change(), bob.username, { apps: ['elsewhere'] });
    const cookie = [...asleep.jar, ['session_id', dead.jar.get('session_id') ?? 'x']].map((pair) => pair.join('='));
    const reply = await asleep.post(LOGOUT, { _csrf }, { headers: { cookie: cookie.join('; ') } });
    expect([reply.status, isCleared(reply)]).toEqual([400, false]);
  });

  test('keeps a cookie that this service did not seal, and clears none if none was sent', async () => {
    const [foreign, none] = [app().client(), app().client()];
    foreign.jar.set('session_id', 'of-somebody-else');

    for (const client of [foreign, none]) {
      const reply = await client.post(LOGOUT, { _csrf: await client.csrf() });
      expect([reply.status, isCleared(reply)]).toEqual([400, false]);
    }
  });
});
