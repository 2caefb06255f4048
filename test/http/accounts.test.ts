import { expect, onTestFinished, test } from 'vitest';
import { DAY_MS } from '../../src/lib/clock.ts';
import { newUuid } from '../../src/lib/random.ts';
import type { Client } from '../support/client.ts';
import { eachDatabase } from '../support/each-database.ts';
import { type SeededUser, startApp, type TestApp } from '../support/start-app.ts';
import { expectError } from './support.ts';

interface Account {
  session_id: string;
  username: string;
  is_current: boolean;
}

async function accountsOf(client: Client): Promise<Account[]> {
  const { body } = await client.get('/authsvc/api/account-sessions');
  const { accounts } = body;
  if (!Array.isArray(accounts)) throw new Error('no list of accounts');
  return accounts;
}

const namesOf = async (client: Client) => (await accountsOf(client)).map(({ username }) => username);
const currentOf = async (client: Client) => (await accountsOf(client)).find((account) => account.is_current)?.username;

async function sessionOf(client: Client, user: SeededUser): Promise<string> {
  const found = (await accountsOf(client)).find(({ username }) => username === user.username);
  if (!found) throw new Error(`${user.username} is not on this device`);
  return found.session_id;
}

const switchTo = (client: Client, session_id: unknown, redirect?: unknown) =>
  client.post('/authsvc/api/switch-session', { session_id, redirect });
const logoutAll = (client: Client) => client.post('/authsvc/api/logout-all');

async function signInAll(app: TestApp, users: SeededUser[]): Promise<Client> {
  const client = app.client();
  for (const user of users) expect((await client.login(user)).status).toBe(200);
  return client;
}

async function countSessions(app: TestApp): Promise<number> {
  const rows = await app.services.database.kysely.selectFrom('sessions').select('id').execute();
  return rows.length;
}

/** Returns the names of the queries for one URL, from the query log. Leaves out the queries that count rate limits. */
function namesOfQueries({ queryLog }: Record<string, unknown>, url: string): string[] {
  if (!Array.isArray(queryLog)) throw new Error('no log of queries');
  const log: { name: string; request: { url: string } | null }[] = queryLog;
  return log
    .filter(({ request, name }) => request?.url === url && !name.startsWith('rateLimits.'))
    .map(({ name }) => name)
    .sort();
}

eachDatabase('several accounts in one browser', (database) => {
  test('signing in adds an account to the list, newest first, and keeps the others', async (t) => {
    const app = await startApp(t, { database });
    const [ada, bob] = [await app.seedUser({ fullName: 'Ada L.' }), await app.seedUser()];
    const client = await signInAll(app, [ada, bob]);

    const { body } = await client.get('/authsvc/api/account-sessions');

    expect(body.accounts).toEqual([
      { session_id: expect.any(String), username: bob.username, full_name: '', is_current: true },
      { session_id: expect.any(String), username: ada.username, full_name: 'Ada L.', is_current: false },
    ]);
    expect(body.current_session_id).toBe(await sessionOf(client, bob));
    expect(await namesOf(app.client())).toEqual([]);
  });

  test('signing in with the same account again replaces its entry, and the old session ends', async (t) => {
    const app = await startApp(t, { database });
    const [ada, bob] = [await app.seedUser(), await app.seedUser()];
    const client = await signInAll(app, [ada, bob]);
    const before = client.clone();
    const former = await sessionOf(client, ada);

    await client.login(ada);

    expect(await namesOf(client)).toEqual([ada.username, bob.username]);
    expect(await sessionOf(client, ada)).not.toBe(former);
    expect(await countSessions(app)).toBe(2);
    expect(await namesOf(before)).toEqual([bob.username]);
  });

  test('the list keeps the newest accounts, the sessions of the others end, and the cookies stay small', async (t) => {
    const app = await startApp(t, { database, settings: { MAX_REMEMBERED_ACCOUNTS: '20' } });
    const users: Awaited<ReturnType<typeof app.seedUser>>[] = [];
    for (let n = 0; n < 22; n += 1) users.push(await app.seedUser());
    const client = await signInAll(app, users);

    expect(await namesOf(client)).toEqual(
      users
        .slice(2)
        .map(({ username }) => username)
        .reverse(),
    );
    expect(await countSessions(app)).toBe(20);
    const cookies = [...client.jar].map(([name, value]) => `${name}=${value}`);
    expect(Math.max(...cookies.map((cookie) => cookie.length))).toBeLessThan(1500);
  });

  test('one query reads all accounts of the list, also for the page of accounts', async (t) => {
    const app = await startApp(t, { database, settings: { env: 'dev' } });
    const client = await signInAll(app, [await app.seedUser(), await app.seedUser()]);

    await client.page('/authsvc/accounts');

    const { body } = await client.get('/authsvc/db.json');
    expect(namesOfQueries(body, '/authsvc/accounts')).toEqual(['sessions.live', 'sessions.liveOfDevice']);
  });

  test('an account whose session ended elsewhere leaves the list and the cookie at the next request', async (t) => {
    const app = await startApp(t, { database });
    const [ada, bob] = [await app.seedUser(), await app.seedUser()];
    const client = await signInAll(app, [ada, bob]);
    const ended = await sessionOf(client, ada);
    await app.services.database.kysely.deleteFrom('sessions').where('user_id', '=', ada.id).execute();

    expect((await switchTo(client, ended)).body.message).toBe('Session expired');
    expect(await namesOf(client)).toEqual([bob.username]);
    expect((await switchTo(client, ended)).body.message).toBe('Account not available on this device');
    expect(await currentOf(client)).toBe(bob.username);
  });

  test('switching gives the session a new id, invalidates the old id, and keeps the expiry time', async (t) => {
    const app = await startApp(t, { database });
    const [ada, bob] = [await app.seedUser({ fullName: 'Ada L.' }), await app.seedUser()];
    const client = await signInAll(app, [ada, bob]);
    const old = await sessionOf(client, ada);
    const check = (session_id: string) => client.post('/authsvc/api/checkSession', { session_id });
    const { expiry } = (await check(old)).body;
    app.clock.advance(DAY_MS / 2);

    const reply = await switchTo(client, old.toUpperCase(), '/app?a=1#part');

    expect(reply.body).toEqual({
      success: true,
      username: ada.username,
      fullName: 'Ada L.',
      redirect: '/app?a=1#part',
    });
    expect(await currentOf(client)).toBe(ada.username);
    expect((await check(old)).body.session_valid).toBe(false);
    expect((await check(await sessionOf(client, ada))).body).toEqual({ session_valid: true, expiry });
    expect(await namesOf(client)).toEqual([bob.username, ada.username]);
  });

  test('switching refuses an invalid id, an unknown id, and a session of another browser', async (t) => {
    const app = await startApp(t, { database });
    const [ada, bob, carol] = [await app.seedUser(), await app.seedUser(), await app.seedUser()];
    const client = await signInAll(app, [ada, bob]);
    const foreign = await sessionOf(await signInAll(app, [carol]), carol);

    for (const id of [undefined, null, 7, {}, [], '', 'nonsense', `${foreign}x`]) {
      const reply = await switchTo(client, id);
      expect([reply.status, reply.body.message]).toEqual([400, 'Invalid session ID format']);
    }
    for (const id of [newUuid(), foreign]) {
      const reply = await switchTo(client, id);
      expect([reply.status, reply.body.message]).toEqual([403, 'Account not available on this device']);
    }
    expect(await currentOf(client)).toBe(bob.username);
  });

  test('a redirect to another host or to a sign-in page is dropped, and any other is kept unchanged', async (t) => {
    const app = await startApp(t, { database, settings: { LOGIN_REDIRECT_URL: '/home' } });
    const ada = await app.seedUser();
    const client = await signInAll(app, [ada]);
    const elsewhere = ['//evil.example', '/\\evil.example', '/\u0085/evil.example', 'https://evil.example', 7, null];
    const signIn = ['/login', '/authsvc/login?redirect=/x', '/authsvc/./2fa', '/authsvc/api/codehost/login'];
    const own = ['/app', '/a b?c=\\#é', '/authsvc/accounts'];
    for (const redirect of [...elsewhere, ...signIn, ...own]) {
      const expected = own.find((path) => path === redirect) ?? '/home';

      const reply = await switchTo(client, await sessionOf(client, ada), redirect);
      const page = await client.page(`/authsvc/accounts?redirect=${encodeURIComponent(String(redirect))}`);

      expect([redirect, reply.body.redirect]).toEqual([redirect, expected]);
      expect(page.text).toContain(`data-redirect="${expected}"`);
    }
  });

  test('after a sign-out the other accounts are still available', async (t) => {
    const app = await startApp(t, { database });
    const [ada, bob] = [await app.seedUser(), await app.seedUser()];
    const client = await signInAll(app, [ada, bob]);

    expect((await client.logout()).status).toBe(200);

    expect(await accountsOf(client)).toEqual([expect.objectContaining({ username: ada.username, is_current: false })]);
    expect((await client.page('/authsvc/accounts')).status).toBe(200);
    expect((await switchTo(client, await sessionOf(client, ada))).status).toBe(200);
    expect(await client.isSignedIn()).toBe(true);
  });

  test('signing out all accounts ends every session of this browser and of no other', async (t) => {
    const app = await startApp(t, { database });
    const [ada, bob] = [await app.seedUser(), await app.seedUser()];
    const elsewhere = await signInAll(app, [ada]);
    const client = await signInAll(app, [ada, bob]);
    const copy = client.clone();

    const reply = await logoutAll(client);

    expect(reply.body.success).toBe(true);
    expect(
      reply.cookies
        .filter(({ isCleared }) => isCleared)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['remembered_accounts', 'session_id']);
    expect(await namesOf(copy)).toEqual([]);
    expect(await copy.isSignedIn()).toBe(false);
    expect(await elsewhere.isSignedIn()).toBe(true);
    expect((await logoutAll(client)).status).toBe(200);
  });

  test('a list that was planted in a browser before a sign-in opens nothing afterwards', async (t) => {
    const app = await startApp(t, { database });
    const [mallory, victim] = [await app.seedUser(), await app.seedUser()];
    const attacker = await signInAll(app, [mallory]);
    const browser = app.client();
    browser.jar.set('remembered_accounts', attacker.jar.get('remembered_accounts') ?? '');
    await browser.login(victim);

    const target = await sessionOf(browser, victim);
    expect(await namesOf(attacker)).not.toContain(victim.username);
    expect((await switchTo(attacker, target)).status).toBe(403);
    await attacker.login(mallory);
    expect(await namesOf(attacker)).toEqual([mallory.username]);
    expect((await switchTo(attacker, target)).status).toBe(403);
    expect(await namesOf(browser)).not.toContain(mallory.username);
  });

  test('a session that a sibling host has copied stays with the browser that opened it', async (t) => {
    const app = await startApp(t, { database });
    const [victim, mallory] = [await app.seedUser(), await app.seedUser()];
    const [theirs, attacker] = [await signInAll(app, [victim]), app.client()];
    const copied = theirs.jar.get('session_id') ?? '';

    for (const round of ['without a list', 'with a list']) {
      attacker.jar.set('session_id', copied);
      expect([round, (await attacker.login(mallory)).status]).toEqual([round, 200]);
      expect(await namesOf(attacker)).toEqual([mallory.username]);
      expectError(await switchTo(attacker, await sessionOf(theirs, victim)), 'ACCOUNT_NOT_ON_DEVICE');
    }
    attacker.jar.set('session_id', copied);
    expect((await switchTo(attacker, await sessionOf(theirs, victim))).status).toBe(200);

    expect(attacker.jar.get('session_id')).toBe(copied);
    expect([await currentOf(theirs), await namesOf(theirs)]).toEqual([victim.username, [victim.username]]);
    await logoutAll(theirs);
    expect(await attacker.isSignedIn()).toBe(false);
    expect(await namesOf(attacker)).toEqual([mallory.username]);
  });

  test('a session that a sibling host has planted is not added to a list of the visitor', async (t) => {
    const app = await startApp(t, { database });
    const [visitor, other, mallory] = [await app.seedUser(), await app.seedUser(), await app.seedUser()];
    const attacker = await signInAll(app, [mallory]);
    for (const before of [[], [visitor]]) {
      const client = await signInAll(app, before);
      const planted = attacker.jar.get('session_id') ?? '';
      client.jar.set('session_id', planted);

      expect((await switchTo(client, await sessionOf(attacker, mallory))).status).toBe(200);
      expect(client.jar.get('session_id')).toBe(planted);
      await client.login(other);

      expect(await namesOf(client)).toEqual([other, ...before].map(({ username }) => username));
      await logoutAll(client);
      expect(await attacker.isSignedIn()).toBe(true);
    }
  });

  test('a session that is not bound to a browser stays in the list at the next sign-in', async (t) => {
    const app = await startApp(t, { database });
    const [ada, bob] = [await app.seedUser(), await app.seedUser()];
    const client = await signInAll(app, [ada]);
    await app.services.database.kysely.updateTable('sessions').set({ browser: '', device: '' }).execute();

    await client.login(bob);

    expect(await namesOf(client)).toEqual([bob.username, ada.username]);
  });

  test('if a browser sends two cookies with lists, signing out all accounts ends the sessions of both lists', async (t) => {
    const app = await startApp(t, { database });
    const [ada, bob] = [await app.seedUser(), await app.seedUser()];
    const [client, other] = [await signInAll(app, [ada]), await signInAll(app, [bob])];
    const both = [other, client].map((owner) => `remembered_accounts=${owner.jar.get('remembered_accounts')}`);

    await app.client().request('POST', '/authsvc/api/logout-all', { headers: { cookie: both.join('; ') }, json: {} });

    expect(await countSessions(app)).toBe(0);
  });

  test('a request that began before a sign-in does not replace the newer list of the browser', async (t) => {
    const app = await startApp(t, { database });
    const [ada, bob] = [await app.seedUser(), await app.seedUser()];
    const client = await signInAll(app, [ada]);
    const onItsWay = client.clone();
    await client.login(bob);

    const { cookies } = await onItsWay.get('/authsvc/api/account-sessions');

    expect(cookies.filter(({ name }) => name === 'remembered_accounts')).toEqual([]);
    expect(await namesOf(client)).toEqual([bob.username, ada.username]);
  });

  test('if a late reply puts an old list back into a browser, the browser gets its newer list again', async (t) => {
    const app = await startApp(t, { database });
    const [ada, bob, eve] = [await app.seedUser(), await app.seedUser(), await app.seedUser()];
    const client = await signInAll(app, [ada]);
    const before = client.clone();
    const older = client.jar.get('remembered_accounts') ?? '';
    app.clock.advance(1000);
    await client.login(bob);
    client.jar.set('remembered_accounts', older);

    const elsewhere = await signInAll(app, [eve]);
    elsewhere.jar.set('remembered_accounts', older);

    expect(await namesOf(elsewhere)).toEqual([eve.username]);
    expect(await namesOf(before)).toEqual([ada.username]);
    expect(await namesOf(client)).toEqual([bob.username, ada.username]);
    expect((await switchTo(client, await sessionOf(client, ada))).status).toBe(200);
  });

  test('the list lasts as long as the last of its sessions, whichever account is the current one', async (t) => {
    const app = await startApp(t, { database });
    const [ada, bob] = [await app.seedUser(), await app.seedUser()];
    const client = await signInAll(app, [ada]);
    app.clock.advance(DAY_MS);
    await client.login(bob);

    const { cookies } = await switchTo(client, await sessionOf(client, ada));

    const [list] = cookies.filter(({ name }) => name === 'remembered_accounts');
    expect(Number(list?.attributes['max-age'])).toBeGreaterThan((1.9 * DAY_MS) / 1000);
  });

  test('a copy of the list from before the last sign-in cannot be used to switch', async (t) => {
    const app = await startApp(t, { database });
    const [ada, bob] = [await app.seedUser(), await app.seedUser()];
    const client = await signInAll(app, [ada]);
    const copied = app.client();
    copied.jar.set('remembered_accounts', client.jar.get('remembered_accounts') ?? '');
    const target = await sessionOf(client, ada);
    await client.login(bob);

    expect((await switchTo(copied, target)).status).toBe(401);
    expect((await switchTo(client, target)).status).toBe(200);
  });

  test('after two simultaneous sign-ins in one browser, signing out all accounts also ends the session that the list does not show', async (t) => {
    const app = await startApp(t, { database });
    const [ada, bob, carol] = [await app.seedUser(), await app.seedUser(), await app.seedUser()];
    const client = await signInAll(app, [ada]);
    const otherTab = client.clone();
    await Promise.all([client.login(bob), otherTab.login(carol)]);
    expect(await countSessions(app)).toBe(3);

    expect((await logoutAll(client)).status).toBe(200);

    expect(await countSessions(app)).toBe(0);
    expect(await otherTab.isSignedIn()).toBe(false);
  });

  test('signing out all with cookies from before the last sign-in ends the session of that sign-in too', async (t) => {
    const app = await startApp(t, { database });
    const [ada, bob] = [await app.seedUser(), await app.seedUser()];
    const client = await signInAll(app, [ada]);
    const before = client.clone();
    await client.login(bob);

    expect((await logoutAll(before)).status).toBe(200);

    expect(await client.isSignedIn()).toBe(false);
    expect(await namesOf(client)).toEqual([]);
  });

  test('an inactive user, or one without access to the application, leaves the list', async (t) => {
    const app = await startApp(t, { database });
    const [ada, bob, carol] = [await app.seedUser(), await app.seedUser(), await app.seedUser()];
    const client = await signInAll(app, [ada, bob, carol]);
    const { kysely } = app.services.database;
    await kysely.updateTable('users').set({ deactivated_at: 1 }).where('id', '=', ada.id).execute();
    await kysely.updateTable('users').set({ allowed_apps: '["other"]' }).where('id', '=', bob.id).execute();

    expect(await namesOf(client)).toEqual([carol.username]);
  });
});

eachDatabase('the profile picture', (database) => {
  test('is that of the current user, or the icon of the service, and is never cached for another user', async (t) => {
    const app = await startApp(t, { database });
    const [ada, none] = [await app.seedUser({ image: 'https://img.example.test/a.png?size=96' }), await app.seedUser()];
    const client = app.client();
    const shown = async () => {
      const reply = await client.page('/authsvc/user/profilepic');
      expect(reply.headers['cache-control']).toBe('no-store');
      expect(reply.headers.vary).toContain('Cookie');
      return reply.status === 302 ? reply.headers.location : reply.headers['content-type'];
    };

    expect(await shown()).toBe('image/svg+xml');
    await client.login(ada);
    expect(await shown()).toBe('https://img.example.test/a.png?size=96');
    await client.login(none);
    expect(await shown()).toBe('image/svg+xml');
    await switchTo(client, await sessionOf(client, ada));
    expect(await shown()).toBe('https://img.example.test/a.png?size=96');
    await client.logout();
    expect(await shown()).toBe('image/svg+xml');
  });

  test.each(['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', '//img.example.test/a.png'])(
    'is the icon of the service if the image is %s',
    async (image) => {
      const app = await startApp({ onTestFinished }, { database });
      const client = await app.signIn(await app.seedUser({ image }));
      expect((await client.page('/authsvc/user/profilepic')).headers['content-type']).toBe('image/svg+xml');
    },
  );
});
