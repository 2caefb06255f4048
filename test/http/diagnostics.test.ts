import { describe, expect, test } from 'vitest';
import { eachDatabase } from '../support/each-database.ts';
import { PASSWORD, startApp, type TestApp } from '../support/start-app.ts';
import { expectError, sharedApp } from './support.ts';

const DEV = { env: 'dev', dbLogs: 'true' };

interface Entry {
  time: string;
  name: string;
  query: string;
  values: unknown[];
  durationMs: number;
  success: boolean;
  error: string | null;
  request: { method: string; url: string; ip: string; user_id: number | null; username: string | null } | null;
  pool: { total: number; idle: number; waiting: number };
  callsite: { function: string; file: string; line: number; column: number };
}
interface Report {
  queryCount: number;
  queryLimit: number;
  resetDone: boolean;
  queryLog: Entry[];
}

async function report(app: TestApp, query = ''): Promise<Report> {
  const { status, text } = await app.client().get(`/authsvc/db.json${query}`);
  expect(status).toBe(200);
  return JSON.parse(text);
}

/** Returns only the queries of requests, because the service also runs queries of its own at any time. */
const ofRequests = (queryLog: Entry[]): Entry[] => queryLog.filter(({ request }) => request !== null);

describe.each([
  ['no env', {}],
  ['env=production', { env: 'production' }],
  ['dbLogs alone', { dbLogs: 'true' }],
])('with %s there are no diagnostics', (_what, settings) => {
  const app = sharedApp({ database: 'sqlite', settings });

  test.each([
    '/authsvc/db',
    '/authsvc/db/',
    '/authsvc/DB',
    '/authsvc/db.json',
    '/authsvc/db.json;x=1',
    '/authsvc/%64b',
  ])('GET %s gets 404', async (path) => {
    expectError(await app().client().get(path), 'NOT_FOUND');
  });

  test('POST /authsvc/db/reset gets 404', async () => {
    expectError(await app().client().post('/authsvc/db/reset'), 'NOT_FOUND');
  });

  test('queries are not recorded', () => {
    expect(app().services.database.observer).toBeUndefined();
  });
});

eachDatabase('the query log', (database) => {
  const app = sharedApp({ database, settings: DEV });

  test('contains every field of a query, newest first', async () => {
    const user = await app().seedUser();
    const client = await app().signIn(user);
    await client.page('/authsvc/test', { address: '10.9.8.7' });

    const { queryLog, queryCount, queryLimit, resetDone } = await report(app());

    expect([queryLimit, resetDone, queryCount > 0]).toEqual([50, false, true]);
    expect(ofRequests(queryLog)[0]).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      name: 'sessions.live',
      query: expect.stringMatching(/^select .* from "sessions"/),
      values: ['[hidden]', expect.any(Number)],
      durationMs: expect.any(Number),
      success: true,
      error: null,
      request: { method: 'GET', url: '/authsvc/test', ip: '10.9.8.7', user_id: user.id, username: user.username },
      pool: { total: expect.any(Number), idle: expect.any(Number), waiting: 0 },
      callsite: {
        function: 'readSession',
        file: 'src/sessions/find-session.ts',
        line: expect.any(Number),
        column: expect.any(Number),
      },
    });
    const times = queryLog.map(({ time }) => time);
    expect(times).toEqual(times.toSorted().reverse());
  });

  test('names the request of a query, even if the query runs after the body was read', async () => {
    const user = await app().seedUser();
    await app().client().login(user, { address: '10.9.8.6' });

    const { queryLog } = await report(app());

    const own = queryLog.filter(({ request }) => request?.ip === '10.9.8.6');
    expect(own.map(({ name }) => name)).toContain('sessions.insert');
    for (const { request } of own) expect(request).toMatchObject({ method: 'POST', url: '/authsvc/api/login' });
  });

  test('keeps the queries of simultaneous requests apart', async () => {
    const users = await Promise.all([1, 2, 3, 4].map(() => app().seedUser()));
    const clients = await Promise.all(users.map((user) => app().signIn(user)));
    await report(app(), '?reset=1');

    await Promise.all(clients.map((client) => client.page('/authsvc/test')));

    const { queryLog } = await report(app());
    expect(
      ofRequests(queryLog)
        .map(({ request }) => request?.username)
        .sort(),
    ).toEqual(users.map(({ username }) => username).sort());
  });

  test('shows the pattern of a path, so that it contains no code or token', async () => {
    await app().client().get('/authsvc/login?redirect=/secret-place');

    expect(JSON.stringify(await report(app(), '?limit=500'))).not.toContain('secret-place');
  });

  test('never contains a secret', async () => {
    const user = await app().seedUser();
    const client = await app().signIn(user);
    const { body } = await client.get('/authsvc/api/account-sessions');
    await app().client().login({ username: user.username, password: 'Another-secret-9' });
    await app().client().login({ username: 'typed-into-the-wrong-field', password: 'Another-secret-9' });
    const row = await app().services.database.kysely.selectFrom('users').select('password_hash').execute();

    const text = JSON.stringify(await report(app(), '?limit=1000'));

    const cookies = ['session_id', 'csrf_secret', 'remembered_accounts'].flatMap((name) => client.jar.get(name) ?? []);
    expect(cookies.length).toBeGreaterThan(1);
    const secrets = [
      PASSWORD,
      'Another-secret-9',
      'typed-into-the-wrong-field',
      String(body.current_session_id),
      ...cookies,
    ];
    for (const secret of [...secrets, ...row.map(({ password_hash: hash }) => hash)])
      expect(text).not.toContain(secret);
    expect(text).not.toMatch(/\$argon2/);
  });

  test('shows a query that failed', async (t) => {
    const own = await startApp(t, { database, settings: DEV });
    const client = await own.signIn(await own.seedUser());
    await own.services.database.kysely.schema.alterTable('sessions').renameTo('sessions_away').execute();
    await client.get('/authsvc/api/checkSession');

    const [entry] = ofRequests((await report(own)).queryLog);

    expect(entry).toMatchObject({ name: 'sessions.live', success: false, error: expect.stringMatching(/sessions/) });
  });

  test.each([
    ['', 50],
    ['?limit=3', 3],
    ['?limit=007', 7],
    ['?limit=1000', 1000],
    ['?limit=1001', 1000],
    ['?limit=999999999', 1000],
    ['?limit=99999999999999999999999', 50],
    ['?limit=0', 50],
    ['?limit=1&limit=2', 50],
    ['?limit=-1', 50],
    ['?limit=1.5', 50],
    ['?limit=1e9', 50],
    ['?limit=abc', 50],
    ['?limit=', 50],
  ])('%s returns %i queries', async (query, limit) => {
    const { queryLimit, queryLog } = await report(app(), query);

    expect(queryLimit).toBe(limit);
    expect(queryLog.length).toBeLessThanOrEqual(limit);
  });
});

eachDatabase('the reset of the query log', (database) => {
  const app = sharedApp({ database, settings: DEV });
  /** Counts the queries of sign-ins in the log. */
  const signInsLogged = async () =>
    (await report(app())).queryLog.filter(({ name }) => name === 'sessions.insert').length;

  test('with reset=1 deletes the queries and sets the count to 0', async () => {
    await app().signIn(await app().seedUser());
    expect(await signInsLogged()).toBe(1);

    const cleared = await report(app(), '?reset=1');

    expect(cleared).toMatchObject({ queryCount: 0, resetDone: true, queryLog: [] });
    expect(await report(app())).toMatchObject({ resetDone: false });
    expect(await signInsLogged()).toBe(0);
  });

  test.each(['0', 'true', '', '11'])('with reset=%s does nothing', async (value) => {
    await app().signIn(await app().seedUser());
    const logged = await signInsLogged();

    expect(await report(app(), `?reset=${value}`)).toMatchObject({ resetDone: false });

    expect(logged).toBeGreaterThan(0);
    expect(await signInsLogged()).toBe(logged);
  });

  test('with HEAD does nothing', async () => {
    await app().signIn(await app().seedUser());
    const logged = await signInsLogged();

    expect((await app().client().request('HEAD', '/authsvc/db.json?reset=1')).status).toBe(200);

    expect(logged).toBeGreaterThan(0);
    expect(await signInsLogged()).toBe(logged);
  });

  test.each(['cross-site', 'same-site'])('in a %s request is refused', async (site) => {
    await app().signIn(await app().seedUser());
    const logged = await signInsLogged();
    const headers = { 'sec-fetch-site': site };

    expectError(await app().client().get('/authsvc/db.json?reset=1', { headers }), 'CROSS_SITE_REQUEST');
    expectError(await app().client().post('/authsvc/db/reset', undefined, { headers }), 'CROSS_SITE_REQUEST');

    expect(logged).toBeGreaterThan(0);
    expect(await signInsLogged()).toBe(logged);
  });

  test('with POST deletes the queries and says so', async () => {
    await app().signIn(await app().seedUser());

    const { status, body } = await app().client().post('/authsvc/db/reset');

    expect([status, body]).toEqual([200, { success: true, message: 'The query log is empty now' }]);
    expect(await signInsLogged()).toBe(0);
  });

  test.each([{ env: 'dev' }, { env: 'dev', dbLogs: 'false' }])(
    'with POST is refused without dbLogs (%j)',
    async (settings) => {
      const stop: (() => Promise<void>)[] = [];
      const quiet = await startApp({ onTestFinished: (end) => void stop.push(end) }, { database, settings });
      try {
        expectError(await quiet.client().post('/authsvc/db/reset'), 'DIAGNOSTICS_LOCKED');
        expect((await report(quiet)).queryLimit).toBe(50);
        expect((await quiet.client().page('/authsvc/db')).text).not.toContain('id="reset"');
      } finally {
        for (const end of stop) await end();
      }
    },
  );
});

describe('a service with env=dev', () => {
  const app = sharedApp({ database: 'sqlite', settings: { ...DEV, BASE_URL: 'http://auth.example.test:3000' } });
  const get = (host: string) => app().client().get('/authsvc/db.json', { headers: { host } });

  test.each([
    'localhost',
    'LOCALHOST:3000',
    'portal.localhost:3000',
    'localhost.',
    '127.0.0.1:3000',
    '127.1.2.3',
    '[::1]:3000',
    'auth.example.test',
    'auth.example.test:8080',
  ])('answers at the host %s', async (host) => {
    expect((await get(host)).status).toBe(200);
  });

  test.each([
    'evil.example',
    'evil.example:3000',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'notlocalhost',
    'auth.example.test.evil.example',
    '192.168.1.2:3000',
    '[::ffff:192.168.1.2]',
    '0.0.0.0:3000',
  ])('refuses the host %s, because its name may resolve to this machine in a browser', async (host) => {
    expectError(await get(host), 'HOST_NOT_ALLOWED');
    const headers = { host, 'x-forwarded-host': 'localhost' };
    expectError(await app().client().get('/healthz', { headers }), 'HOST_NOT_ALLOWED');
  });
});

test('without env=dev the service answers at any host', async (t) => {
  const app = await startApp(t, { database: 'sqlite' });

  expect((await app.client().get('/healthz', { headers: { host: 'evil.example' } })).status).toBe(200);
});

eachDatabase('the query monitor', (database) => {
  const app = sharedApp({ database, settings: DEV });

  test('shows each query, its place in the code, its request, and the number of queries of that request', async () => {
    const user = await app().seedUser();
    await app().client().login(user);

    const { status, headers, text } = await app().client().page('/authsvc/db');

    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(text).toContain('sessions.insert');
    expect(text).toMatch(/src\/sessions\/start-session\.ts:\d+:\d+/);
    expect(text).toContain('POST /authsvc/api/login');
    expect(text).toMatch(/\b2 of \d+ in this request/);
    expect(text).not.toContain(PASSWORD);
  });

  test('counts all queries of a request, whether they are shown or not', async () => {
    await app()
      .client()
      .login(await app().seedUser());
    const countQueries = (text: string) => text.match(/\d+ of \d+ in this request/g);
    const { text } = await app().client().page('/authsvc/db?limit=2');

    const queries = Number(/of (\d+)/.exec(text)?.[1]);
    expect(queries).toBeGreaterThan(2);
    expect(countQueries(text)).toEqual([queries, queries - 1].map((one) => `${one} of ${queries} in this request`));
    expect(text).toContain(`>${queries} queries, `);
  });

  test('says that the log was reset', async () => {
    expect((await app().client().page('/authsvc/db?resetDone=1')).text).toContain('The query log was reset.');
    expect((await app().client().page('/authsvc/db')).text).not.toContain('The query log was reset.');
  });

  test('repeats nothing from its URL', async () => {
    const { text } = await app().client().page('/authsvc/db?limit=%3Ci%20id%3Dxss%3E&resetDone=%3Ci%20id%3Dxss%3E');

    expect(text).not.toContain('xss');
  });
});
