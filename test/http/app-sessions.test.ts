import { describe, expect, type TestContext, test, vi } from 'vitest';
import { type ApplicationChange, changeApplication } from '../../src/applications/change-application.ts';
import { rotateSecret } from '../../src/applications/rotate-secret.ts';
import { openDatabase } from '../../src/db/open.ts';
import { systemActor } from '../../src/events/actor.ts';
import { SECOND_MS } from '../../src/lib/clock.ts';
import { changeUser, type UserChange } from '../../src/users/change-user.ts';
import type { Client } from '../support/client.ts';
import { createToken } from '../support/device-login.ts';
import { eachDatabase, type FreshDatabase, freshDatabase } from '../support/each-database.ts';
import { eventSink } from '../support/event-sink.ts';
import { openEvents } from '../support/event-stream.ts';
import { freezablePath } from '../support/freezable-path.ts';
import { startApp, type TestApp } from '../support/start-app.ts';
import { whileSessionsAreAway } from '../support/table-away.ts';
import { applicationHeaders, expectError, sharedApp } from './support.ts';

const VISITOR = '/authsvc/api/apps/visitor';
const CHANGES = '/authsvc/api/apps/changes';
type Headers = Awaited<ReturnType<typeof applicationHeaders>>;

const cookieOf = (client: Client): string => [...client.jar].map(([name, value]) => `${name}=${value}`).join('; ');
const ask = (app: TestApp, headers: Headers, question: object) => app.client().post(VISITOR, question, { headers });
const follow = (t: TestContext, { port }: TestApp, headers: Headers) => openEvents(t, { port, path: CHANGES, headers });

/** Opens a stream and waits until it has begun. */
async function followed(t: TestContext, app: TestApp, headers: Headers) {
  const stream = await follow(t, app, headers);
  await stream.waitFor('hello');
  return stream;
}

/** Waits until a stream reports the end of this session or token, a change of this user, or that events were lost. */
const told = (stream: Awaited<ReturnType<typeof follow>>, ref: unknown, userId: number) =>
  vi.waitUntil(
    () =>
      stream.events.some(
        ({ event, data }) =>
          event === 'lost' ||
          (event === 'ended' && JSON.stringify(data).includes(String(ref))) ||
          (event === 'user' && JSON.stringify(data) === JSON.stringify({ user_id: userId })),
      ),
    { timeout: 5000, interval: 5 },
  );

eachDatabase('session checks by an application', (database) => {
  const app = sharedApp({ database });

  test('a reply reflects every change of the user or the application that was made before the request', async (t) => {
    const fresh = await freshDatabase(database);
    t.onTestFinished(fresh.drop);
    const [here, there] = [await startApp(t, { database: fresh }), await startApp(t, { database: fresh })];
    const headers = await applicationHeaders(here, { key: 'portal' });
    const user = await here.seedUser({ apps: ['authsvc', 'portal'] });
    const cookie = cookieOf(await here.signIn(user));
    const answers = async () => {
      const replies = await Promise.all([here, there].map((one) => ask(one, headers, { cookie })));
      return replies.map(({ body }) => body.may_use ?? null);
    };

    for (let round = 0; round < 5; round += 1) {
      expect(await answers()).toEqual([true, true]);
      await changeUser(here.change(), user.username, { apps: ['authsvc'] });
      expect(await answers()).toEqual([false, false]);
      await changeUser(there.change(), user.username, { apps: ['authsvc', 'portal'] });
      expect(await answers()).toEqual([true, true]);
      await changeApplication(there.change(), here.services.settings, 'portal', { roles: ['superadmin'] });
      expect(await answers()).toEqual([false, false]);
      await changeApplication(here.change(), here.services.settings, 'portal', { roles: [] });
    }
  });

  test('of several session cookies the valid one is used, and every application has its own cookie names', async () => {
    const [one, other] = [await applicationHeaders(app()), await applicationHeaders(app())];
    const client = await app().signIn(await app().seedUser());
    const cookie = `session_id=v1.dead; a=b; ${cookieOf(client)}`;

    const asked = await Promise.all([one, one, other].map((headers) => ask(app(), headers, { cookie })));

    const refs = asked.map(({ body }) => body.ref);
    expect(refs[0]).toMatch(/^[\w-]{22}$/);
    expect([refs[0] === refs[1], refs[0] === refs[2]]).toEqual([true, false]);
  });

  test('the key of the application matches in any case of letters; malformed credentials and other schemes than Basic are refused', async () => {
    const headers = await applicationHeaders(app(), { key: `Cased-${database}` });
    const [, encoded = ''] = headers.authorization.split(' ');
    const pair = Buffer.from(encoded, 'base64').toString();
    const send = (scheme: string, text: string) =>
      ask(app(), { authorization: `${scheme} ${Buffer.from(text).toString('base64')}` }, { cookie: 'a=b' });

    expect((await send('bAsIc', pair.toUpperCase().replace(/:.*/, pair.slice(pair.indexOf(':'))))).status).toBe(200);
    for (const text of ['', ':', pair.replace(':', ''), `${pair} `, `${pair}:`, ` ${pair}`, `\0${pair}`, 'Cased']) {
      const reply = await send('Basic', text);
      expect([text, reply.headers['www-authenticate']]).toEqual([text, 'Basic realm="authsvc"']);
      expectError(reply, 'APP_CREDENTIALS_INVALID');
    }
    expectError(await send('Bearer', pair), 'APP_CREDENTIALS_INVALID');
  });

  test('a third-party application is refused even with its secret, and a wrong secret reveals nothing about it', async () => {
    const headers = await applicationHeaders(app(), { isThirdParty: true });
    const wrong = { authorization: `Basic ${Buffer.from(`x${headers.authorization}:y`).toString('base64')}` };

    expectError(await ask(app(), headers, { cookie: 'a=b' }), 'APP_THIRD_PARTY');
    expectError(await app().client().get(CHANGES, { headers }), 'APP_THIRD_PARTY');
    expectError(await ask(app(), wrong, { cookie: 'a=b' }), 'APP_CREDENTIALS_INVALID');
  });

  test('while the database cannot be read, the reply is 503 and never "not signed in"', async (t) => {
    const own = await startApp(t, { database });
    const headers = await applicationHeaders(own);
    const user = await own.seedUser();
    const cookie = cookieOf(await own.signIn(user));
    expect((await ask(own, headers, { cookie })).body.visitor).not.toBeNull();
    await changeUser(own.change(), user.username, { fullName: 'Another Name' });

    await whileSessionsAreAway(own, async () => {
      const reply = await ask(own, headers, { cookie });
      expectError(reply, 'OVERLOADED');
      expect(reply.headers['retry-after']).toBe('5');
    });

    expect((await ask(own, headers, { cookie })).body.may_use).toBe(false);
  });
});

eachDatabase('the stream of changes', (database) => {
  /**
   * Starts two processes on one database. Tests make changes at the first process or over a separate connection to the
   * database, and open the stream at the second process.
   */
  async function twoApps(t: TestContext) {
    const fresh = await freshDatabase(database);
    t.onTestFinished(fresh.drop);
    const [here, there] = [await startApp(t, { database: fresh }), await startApp(t, { database: fresh })];
    const headers = await applicationHeaders(here, { key: 'portal' });
    return { here, there, headers, fresh };
  }

  async function changeFromOutside(t: TestContext, { url }: FreshDatabase, name: string, change: UserChange) {
    const outside = await openDatabase(url, { max: 1, isPatient: true, onTrouble: () => undefined, events: eventSink });
    t.onTestFinished(() => outside.close());
    await changeUser({ database: outside, now: Date.now(), actor: systemActor }, name, change);
  }

  test('every process reports every ended session, whatever process ended it', async (t) => {
    const { here, there, headers, fresh } = await twoApps(t);
    const user = await here.seedUser({ apps: ['authsvc', 'portal'] });
    const client = await here.signIn(user);
    const { token, id } = await createToken(client);
    const refOf = async (question: object) => (await ask(there, headers, question)).body.ref;
    const [session, key] = [
      await refOf({ cookie: cookieOf(client) }),
      await refOf({ authorization: `Bearer ${token}` }),
    ];
    const streamsOf = () => Promise.all([here, there].map((app) => followed(t, app, headers)));

    const ends = [
      { ref: key, end: () => client.delete(`/api/token/${id}`) },
      { ref: 'of a user', end: () => changeFromOutside(t, fresh, user.username, { fullName: 'Another Name' }) },
      { ref: session, end: () => client.logout() },
    ];
    for (const { ref, end } of ends) {
      const streams = await streamsOf();
      const since = performance.now();
      await end();
      await Promise.all(streams.map((stream) => told(stream, ref, user.id)));
      expect(performance.now() - since).toBeLessThan(3000);
    }
    expect((await ask(there, headers, { cookie: cookieOf(client) })).body).toEqual({ visitor: null });
  });

  test('the process that ends a session reports its ref, and does not report changes that end no session', async (t) => {
    const own = await startApp(t, { database });
    const headers = await applicationHeaders(own);
    const [user, bystander] = [await own.seedUser(), await own.seedUser()];
    const client = await own.signIn(user);
    const { ref } = (await ask(own, headers, { cookie: cookieOf(client) })).body;
    const stream = await followed(t, own, headers);

    await own.signIn(bystander);
    await client.logout();
    await stream.waitFor('ended', String(ref));

    // On PostgreSQL, the process that made the change also receives it through the change feed, so an event can occur
    // twice.
    expect(new Set(stream.events.map((event) => JSON.stringify(event)))).toEqual(
      new Set([
        JSON.stringify({ event: 'hello', data: {} }),
        JSON.stringify({ event: 'ended', data: { refs: [ref] } }),
      ]),
    );
  });

  test('a change of an application is sent only to its own stream, which ends when the old secret expires', async (t) => {
    const { here, there, headers } = await twoApps(t);
    const others = await applicationHeaders(here);
    const [stream, bystander] = [await followed(t, there, headers), await followed(t, there, others)];

    await rotateSecret(here.change(), 'portal', 1);
    await stream.waitFor('lost');
    expect(stream.hasEnded()).toBe(false);
    const end = { old_secret_expires_at: Date.now() + SECOND_MS };
    await here.services.database.kysely.updateTable('applications').set(end).where('key', '=', 'portal').execute();

    await vi.waitUntil(() => stream.hasEnded(), { timeout: 5000 });
    expectError(await there.client().get(CHANGES, { headers }), 'APP_CREDENTIALS_INVALID');
    expect(bystander.hasEnded()).toBe(false);
  });

  test('an application learns that another program has changed its roles in the database', async (t) => {
    const { here, there, headers, fresh } = await twoApps(t);
    const stream = await followed(t, there, headers);
    const outside = await openDatabase(fresh.url, {
      max: 1,
      isPatient: true,
      onTrouble: () => undefined,
      events: eventSink,
    });
    t.onTestFinished(() => outside.close());

    await outside.kysely
      .updateTable('applications')
      .set({ roles: '["superadmin"]' })
      .where('key', '=', 'portal')
      .execute();

    await stream.waitFor('lost');
    expect(here.services.changeStreams.size + there.services.changeStreams.size).toBe(1);
  });

  test('a stream sends heartbeats, and ends at once when the service stops', async (t) => {
    const own = await startApp(t, { database });
    const stream = await followed(t, own, await applicationHeaders(own));
    await vi.waitUntil(() => stream.comments() >= 2, { timeout: 10_000 });
    const { status, headers } = stream;
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });

    own.services.changeStreams.stop();

    await vi.waitUntil(() => stream.hasEnded(), { timeout: 5000 });
  });

  test('a HEAD request opens no stream', async (t) => {
    const own = await startApp(t, { database });
    const headers = await applicationHeaders(own);
    const reply = await own.client().request('HEAD', CHANGES, { headers });

    expect([reply.status, reply.headers['content-type']]).toEqual([200, 'text/event-stream']);
    expect(own.services.changeStreams.size).toBe(0);
  });
});

describe('the limit of streams', () => {
  test('2,000 streams can be open; one more is refused, but one of another application replaces the oldest', {
    timeout: 120_000,
  }, async (t) => {
    const own = await startApp(t, { database: 'sqlite' });
    const headers = await applicationHeaders(own);
    const first = await followed(t, own, headers);
    const last = await followed(t, own, headers);
    for (let i = 0; i < 20; i += 1)
      await Promise.all(Array.from({ length: i === 0 ? 98 : 100 }, () => follow(t, own, headers)));

    const refused = await own.client().get(CHANGES, { headers });

    expectError(refused, 'OVERLOADED');
    expect(refused.headers['retry-after']).toBe('1');
    await followed(t, own, await applicationHeaders(own));
    await vi.waitUntil(() => first.hasEnded(), { timeout: 5000, interval: 5 });
    expect(last.hasEnded()).toBe(false);
    expectError(await own.client().get(CHANGES, { headers }), 'OVERLOADED');
  });
});

test('streams end when the feed of PostgreSQL is silent, and work again when it is back', async (t) => {
  const fresh = await freshDatabase('postgres');
  t.onTestFinished(fresh.drop);
  const path = await freezablePath(t, fresh.url);
  const own = await startApp(t, { database: fresh, settings: { DATABASE_LISTEN_URL: path.url } });
  const headers = await applicationHeaders(own);
  const stream = await followed(t, own, headers);

  path.freeze();
  await vi.waitUntil(() => stream.hasEnded(), { timeout: 5000 });
  expectError(await own.client().get(CHANGES, { headers }), 'OVERLOADED');
  path.thaw();

  await vi.waitUntil(async () => (await follow(t, own, headers)).status === 200, { timeout: 20_000 });
});

test('a change of the application applies to the next request, even before the feed of PostgreSQL reports it', async (t) => {
  const fresh = await freshDatabase('postgres');
  t.onTestFinished(fresh.drop);
  const path = await freezablePath(t, fresh.url);
  const here = await startApp(t, { database: fresh });
  const there = await startApp(t, { database: fresh, settings: { DATABASE_LISTEN_URL: path.url } });
  const change = (fields: ApplicationChange) =>
    changeApplication(here.change(), here.services.settings, 'portal', fields);
  const headers = await applicationHeaders(here, { key: 'portal' });
  const client = await here.signIn(await here.seedUser({ apps: ['authsvc', 'portal'] }));
  const { token } = await createToken(client);
  const questions = [{ cookie: cookieOf(client) }, { authorization: `Bearer ${token}` }, { cookie: 'session_id=none' }];
  const askAll = () => Promise.all(questions.map((question) => ask(there, headers, question)));
  const afterUnseen = async <T>(make: () => Promise<unknown>, look: () => Promise<T>) => {
    await vi.waitUntil(() => there.services.database.changes.areKnown(), { timeout: 20_000 });
    expect((await askAll()).map(({ status }) => status)).toEqual([200, 200, 200]);
    path.freeze();
    await make();
    const seen = await look();
    path.thaw();
    return seen;
  };

  const setRoles = (roles: string) =>
    here.services.database.kysely.updateTable('applications').set({ roles }).where('key', '=', 'portal').execute();
  for (const reduce of [() => change({ roles: ['superadmin'] }), () => setRoles('["superadmin"]')]) {
    const reduced = await afterUnseen(reduce, askAll);
    expect(reduced.map(({ body }) => body.may_use)).toEqual([false, false, undefined]);
    await change({ roles: [] });
  }

  for (const [fields, code] of [
    [{ isThirdParty: true }, 'APP_THIRD_PARTY'],
    [{ isActive: false }, 'APP_CREDENTIALS_INVALID'],
  ] as const) {
    const refused = await afterUnseen(
      () => change(fields),
      async () => [...(await askAll()), await there.client().get(CHANGES, { headers })],
    );
    for (const reply of refused) expectError(reply, code);
    await change({ isThirdParty: false, isActive: true });
  }
});
