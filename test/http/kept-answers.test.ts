import { sql } from 'kysely';
import { describe, expect, type TestContext, test, vi } from 'vitest';
import { BOUND_MS } from '../../src/db/changes.ts';
import { openDatabase } from '../../src/db/open.ts';
import { systemActor } from '../../src/events/actor.ts';
import { endSessionsOfUser } from '../../src/sessions/end-sessions.ts';
import { changeUser, type UserChange } from '../../src/users/change-user.ts';
import type { Client } from '../support/client.ts';
import { createToken, verify } from '../support/device-login.ts';
import { type DatabaseKind, type FreshDatabase, freshDatabase } from '../support/each-database.ts';
import { eventSink } from '../support/event-sink.ts';
import { freezablePath } from '../support/freezable-path.ts';
import { MAIN_SECRET, startApp, type TestApp } from '../support/start-app.ts';

const WITHIN_THE_BOUND = { timeout: BOUND_MS, interval: 5 };
const alive = (app: TestApp) => vi.waitUntil(() => app.services.database.changes.areKnown(), { timeout: 20_000 });

async function ownDatabase(t: TestContext, kind: DatabaseKind = 'postgres'): Promise<FreshDatabase> {
  const fresh = await freshDatabase(kind);
  t.onTestFinished(fresh.drop);
  return fresh;
}

/** Starts two processes on one database, and waits until their change feeds work. */
async function twoApps(t: TestContext, kind: DatabaseKind = 'postgres') {
  const database = await ownDatabase(t, kind);
  const [here, there] = [await startApp(t, { database }), await startApp(t, { database })];
  if (kind === 'postgres') await Promise.all([alive(here), alive(there)]);
  const elsewhere = (client: Client): Client => {
    const copy = there.client();
    for (const [name, value] of client.jar) copy.jar.set(name, value);
    return copy;
  };
  return { here, there, elsewhere, database };
}

/**
 * Changes a user over a separate connection, as the command line does. The caches of the processes learn of it only
 * through the change feed.
 */
async function changeFromOutside(t: TestContext, { url }: FreshDatabase, name: string, change: UserChange) {
  const outside = await openDatabase(url, { max: 1, isPatient: true, onTrouble: () => undefined, events: eventSink });
  t.onTestFinished(() => outside.close());
  await changeUser({ database: outside, now: Date.now(), actor: systemActor }, name, change);
  return outside;
}

test('a session and a token that were checked once are checked again without the database', async (t) => {
  const database = await ownDatabase(t);
  const path = await freezablePath(t, database.url);
  const settings = { DATABASE_LISTEN_URL: database.url };
  const app = await startApp(t, { database: { ...database, url: path.url }, settings });
  await alive(app);
  const client = await app.signIn(await app.seedUser());
  const { token } = await createToken(client);
  const ask = async () => {
    const { body } = await client.get('/authsvc/api/checkSession');
    return [body.session_valid, (await verify(client, token)).body.tokenValid];
  };
  expect(await ask()).toEqual([true, true]);
  await vi.waitUntil(
    async () =>
      (await app.services.database.kysely.selectFrom('api_tokens').select('last_used_at').executeTakeFirst())
        ?.last_used_at,
  );

  path.freeze();
  const answers = await ask();
  path.thaw();

  expect(answers).toEqual([true, true]);
});

test('a session or token that one process ends is refused by another process within two seconds', async (t) => {
  const { here, elsewhere } = await twoApps(t);
  const client = await here.signIn(await here.seedUser());
  const copy = elsewhere(client);
  const { token, id } = await createToken(client);
  expect([await copy.isSignedIn(), (await verify(copy, token)).body.tokenValid]).toEqual([true, true]);

  await client.delete(`/api/token/${id}`);
  await vi.waitUntil(async () => (await verify(copy, token)).body.tokenValid === false, WITHIN_THE_BOUND);
  await client.logout();
  await vi.waitUntil(async () => !(await copy.isSignedIn()), WITHIN_THE_BOUND);

  expect(await copy.isSignedIn()).toBe(false);
});

test('a change of a user by another program is visible within two seconds', async (t) => {
  const { here, database } = await twoApps(t);
  const user = await here.seedUser({ role: 'superadmin' });
  const client = await here.signIn(user);
  const { token } = await createToken(client);
  const status = async () => (await client.get('/authsvc/validate-superadmin')).status;
  expect([await status(), (await verify(client, token)).body.tokenValid]).toEqual([200, true]);

  await changeFromOutside(t, database, user.username, { role: 'normaluser' });
  await vi.waitUntil(async () => (await status()) === 403, WITHIN_THE_BOUND);
  await changeFromOutside(t, database, user.username, { apps: ['elsewhere'] });
  await vi.waitUntil(async () => !(await client.isSignedIn()), WITHIN_THE_BOUND);
  await changeFromOutside(t, database, user.username, { apps: ['authsvc'] });
  await vi.waitUntil(async () => client.isSignedIn(), WITHIN_THE_BOUND);
  await changeFromOutside(t, database, user.username, { isActive: false });
  await vi.waitUntil(async () => !(await client.isSignedIn()), WITHIN_THE_BOUND);

  expect((await verify(client, token)).body.tokenValid).toBe(false);
});

test('if another program ends all sessions of a user at once, they are refused within two seconds', async (t) => {
  const { here, database } = await twoApps(t);
  const user = await here.seedUser();
  const clients = [await here.signIn(user), await here.signIn(user)];
  for (const client of clients) expect(await client.isSignedIn()).toBe(true);

  const outside = await changeFromOutside(t, database, user.username, {});
  expect(await endSessionsOfUser(outside, user.id)).toBe(2);

  for (const client of clients) await vi.waitUntil(async () => !(await client.isSignedIn()), WITHIN_THE_BOUND);
});

test('a cached session ends exactly at its expiry time', async (t) => {
  const database = await ownDatabase(t);
  const app = await startApp(t, { database, settings: { COOKIE_EXPIRE_TIME: '0.00002' } });
  await alive(app);
  const client = await app.signIn(await app.seedUser());
  expect(await client.isSignedIn()).toBe(true);

  await new Promise((resolve) => setTimeout(resolve, 1800));

  expect(app.services.database.changes.areKnown()).toBe(true);
  expect(await client.isSignedIn()).toBe(false);
});

/**
 * Starts a process on a database that reports no changes, so the process knows only the changes that it makes itself.
 */
async function deafApp(t: TestContext, settings: Record<string, string> = {}) {
  const app = await startApp(t, { database: 'postgres', settings });
  await sql`drop function authsvc_tell_change() cascade`.execute(app.services.database.kysely);
  await alive(app);
  const admit = async (client: Client) =>
    expect([await client.isSignedIn(), await client.isSignedIn()]).toEqual([true, true]);
  return { app, admit };
}

describe('on SQLite', () => {
  test('a session and a token that were checked once are checked again without a query, until another process commits', async (t) => {
    const database = await ownDatabase(t, 'sqlite');
    const app = await startApp(t, { database, settings: { env: 'dev' } });
    const user = await app.seedUser();
    const client = await app.signIn(user);
    const { token } = await createToken(client);
    const ask = async () => {
      await client.get('/authsvc/db.json?reset=1');
      expect([await client.isSignedIn(), (await verify(client, token)).body.tokenValid]).toEqual([true, true]);
      const { body } = await client.get('/authsvc/db.json');
      const log = body.queryLog as { name: string; request: object | null }[];
      return log.filter(({ request }) => request !== null).map(({ name }) => name);
    };
    await vi.waitUntil(async () => (await ask()).length === 0, { timeout: 20_000 });

    await changeFromOutside(t, database, user.username, { fullName: 'Somebody Else' });

    expect(await ask()).toEqual(['apiTokens.live', 'sessions.live']);
    expect(await ask()).toEqual([]);
  });

  test('commits of the process itself keep cached answers whose rows they do not change', async (t) => {
    const app = await startApp(t, { database: await ownDatabase(t, 'sqlite'), settings: { env: 'dev' } });
    const ada = await app.signIn(await app.seedUser());
    const bea = await app.signIn(await app.seedUser());
    const copyOfAda = copyOf(app, ada);
    const ask = async (client: Client) => {
      await client.get('/authsvc/db.json?reset=1');
      const isSignedIn = await client.isSignedIn();
      const { body } = await client.get('/authsvc/db.json');
      const log = body.queryLog as { request: object | null }[];
      return [isSignedIn, log.filter(({ request }) => request !== null).length];
    };
    for (const client of [copyOfAda, bea]) await client.isSignedIn();

    await app.signIn(await app.seedUser());
    expect([await ask(copyOfAda), await ask(bea)]).toEqual([
      [true, 0],
      [true, 0],
    ]);

    await ada.logout();
    expect([await ask(copyOfAda), await ask(bea)]).toEqual([
      [false, 1],
      [true, 0],
    ]);
  });

  test('a session that one process ends is refused by another process with the next request', async (t) => {
    const { here, elsewhere } = await twoApps(t, 'sqlite');
    const user = await here.seedUser();
    for (let round = 0; round < 8; round += 1) {
      const client = await here.signIn(user);
      const copy = elsewhere(client);
      const { token, id } = await createToken(client);
      const ask = async () => [await copy.isSignedIn(), (await verify(copy, token)).body.tokenValid];
      expect([await ask(), await ask()]).toEqual([
        [true, true],
        [true, true],
      ]);

      await client.delete(`/api/token/${id}`);
      expect(await ask()).toEqual([true, false]);
      await client.logout();
      expect(await ask()).toEqual([false, false]);
    }
  });

  test('a change of a user by another program is visible with the next request', async (t) => {
    const database = await ownDatabase(t, 'sqlite');
    const app = await startApp(t, { database });
    const user = await app.seedUser({ role: 'superadmin' });
    const client = await app.signIn(user);
    const status = async () => (await client.get('/authsvc/validate-superadmin')).status;
    expect([await status(), await status()]).toEqual([200, 200]);

    await changeFromOutside(t, database, user.username, { role: 'normaluser' });
    expect(await status()).toBe(403);
    await changeFromOutside(t, database, user.username, { isActive: false });
    expect(await client.isSignedIn()).toBe(false);
  });
});

const copyOf = (app: TestApp, client: Client): Client => {
  const copy = app.client();
  for (const [name, value] of client.jar) copy.jar.set(name, value);
  return copy;
};

test('a process refuses at once a session that it has ended itself', async (t) => {
  const { app, admit } = await deafApp(t, { MAX_SESSIONS_PER_USER: '2' });
  const ada = await app.seedUser();
  const ways: [string, (client: Client) => Promise<unknown>][] = [
    ['logout', (client) => client.logout()],
    ['logout of all', (client) => client.post('/authsvc/api/logout-all')],
    ['a sign-in over the limit of sessions', async () => [await app.signIn(ada), await app.signIn(ada)]],
    ['a sign-in in the same browser', (client) => client.login(ada)],
    [
      'the end of all sessions of all users',
      (client) => client.post('/authsvc/api/terminateAllSessions', {}, { headers: { authorization: MAIN_SECRET } }),
    ],
  ];
  for (const [way, end] of ways) {
    const client = await app.signIn(ada);
    const copy = copyOf(app, client);
    await admit(copy);

    await end(client);

    expect([way, await copy.isSignedIn()]).toEqual([way, false]);
  }
});

test('a session that a switch has renamed is refused under its old id at once', async (t) => {
  const { app, admit } = await deafApp(t);
  const client = await app.signIn(await app.seedUser());
  await client.login(await app.seedUser());
  const current = (await client.get('/authsvc/api/account-sessions')).body.current_session_id;
  await admit(client);
  expect((await client.post('/authsvc/api/verifySession', { session_id: current })).body.valid).toBe(true);

  const reply = await client.post('/authsvc/api/switch-session', { session_id: current });

  expect(reply.status).toBe(200);
  expect((await client.post('/authsvc/api/verifySession', { session_id: current })).body.valid).toBe(false);
  expect(await client.isSignedIn()).toBe(true);
});

test('a token that this process revokes is refused at once, however it is revoked', async (t) => {
  const { app } = await deafApp(t);
  const admin = await app.signIn(await app.seedUser({ role: 'superadmin' }));
  const client = await app.signIn(await app.seedUser());
  const ways: [string, (token: { id: number; token: string }) => Promise<{ status: number }>][] = [
    ['its user', ({ id }) => client.delete(`/api/token/${id}`)],
    ['its holder', ({ token }) => client.post('/api/tokens/revoke', { token })],
    ['a superadmin', ({ id }) => admin.delete(`/api/admin/api-tokens/${id}`)],
  ];
  for (const [way, revoke] of ways) {
    const made = await createToken(client);
    expect([way, (await verify(client, made.token)).body.tokenValid]).toEqual([way, true]);
    expect((await verify(client, made.token)).body.tokenValid).toBe(true);

    expect([way, (await revoke(made)).status]).toEqual([way, 200]);

    expect([way, (await verify(client, made.token)).body.tokenValid]).toEqual([way, false]);
  }
});
