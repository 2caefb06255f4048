import { sql } from 'kysely';
import { beforeAll, expect, test, vi } from 'vitest';
import { countRateLimit } from '../../src/http/queries.ts';
import { budgetOf } from '../../src/http/rate-limit.ts';
import type { AnyRoute } from '../../src/http/route.ts';
import type { LimitName } from '../../src/settings/limits.ts';
import { allRoutes } from '../../tools/docs/all-routes.ts';
import type { Client, Reply, RequestOptions } from '../support/client.ts';
import { eachDatabase, freshDatabase } from '../support/each-database.ts';
import { MAIN_SECRET, startApp } from '../support/start-app.ts';
import { addRelyingParty, expectError, sharedApp } from './support.ts';

let addresses = 0;
/** Returns a client address that no other test of this file has used. */
function freshAddress(): string {
  addresses += 1;
  return `198.18.${addresses >> 8}.${addresses & 255}`;
}

const login = (client: Client, options: RequestOptions) => client.post('/authsvc/api/login', {}, options);
const isLimited = ({ status }: Reply) => status === 429;

/** Sends `budget` requests that pass, and one that is refused. Returns the refused one. */
async function useUp(budget: number, hit: (at: number) => Promise<Reply>): Promise<Reply> {
  for (let at = 0; at < budget; at += 1) {
    const reply = await hit(at);
    expect([at, isLimited(reply)]).toEqual([at, false]);
  }
  const refused = await hit(budget);
  expect(refused.status).toBe(429);
  return refused;
}

/** Returns the path of a route with a value for each of its parameters. */
const pathOf = (route: AnyRoute): string => route.path.replace(/:\w+/g, '1');

test('the default budgets are those in the documentation', () => {
  const wordsOf = (name: LimitName) => `${budgetOf(name, {}).points} in ${budgetOf(name, {}).windowSeconds} s`;
  const budgets = Object.fromEntries(
    allRoutes.map(({ method, path, limit }) => [`${method} ${path}`, limit && wordsOf(limit.name)]),
  );

  expect(budgets).toMatchObject({
    'POST /authsvc/api/login': '8 in 60 s',
    'POST /authsvc/api/logout': '10 in 60 s',
    'GET /authsvc/login': '8 in 60 s',
    'GET /authsvc/test': '8 in 60 s',
    'POST /authsvc/api/checkSession': '8 in 60 s',
    'POST /authsvc/api/terminateAllSessions': '3 in 300 s',
    'GET /login': undefined,
    'GET /signin': undefined,
    'GET /authsvc/api/checkSession': undefined,
    'POST /authsvc/api/verifySession': undefined,
    'GET /healthz': undefined,
    'GET /readyz': undefined,
  });
});

eachDatabase('the limit of each route', (database) => {
  const app = sharedApp({ database });
  beforeAll(() => addRelyingParty(app()));

  const limited = allRoutes.flatMap((route) => (route.limit ? [{ ...route, limit: route.limit }] : []));
  test.each(limited)('$method $path accepts its budget, then replies with 429 and the time to wait', async (route) => {
    const { limit, method } = route;
    const { points, windowSeconds } = budgetOf(limit.name, {});
    const address = freshAddress();
    const headers = route.kind === 'page' ? { accept: 'text/html' } : {};
    const seen: unknown[] = [];
    // Some routes count only callers whom `access` lets in. For those, the caller is signed in.
    const caller = route.countsAfterAccess ? await app().signIn(await app().seedUser()) : app().client();

    const refused = await useUp(points, async () => {
      const reply = await caller.request(method, pathOf(route), {
        address,
        headers,
        ...(method === 'GET' ? {} : { json: {} }),
      });
      seen.push([reply.headers['ratelimit-limit'], reply.headers['ratelimit-remaining']]);
      return reply;
    });

    if (route.kind === 'page') expect(refused.text).toContain(`>${limit.error}<`);
    else if (route.speaksOAuth) expect(refused.body).toMatchObject({ error: 'temporarily_unavailable' });
    else expectError(refused, limit.error);
    const counts = Array.from({ length: points }, (_, at) => [`${points}`, `${points - 1 - at}`]);
    expect(seen).toEqual([...counts, [`${points}`, '0']]);
    const wait = Number(refused.headers['retry-after']);
    expect(wait).toBeGreaterThan(windowSeconds - 60);
    expect(wait).toBeLessThanOrEqual(windowSeconds);
    expect(Number(refused.headers['ratelimit-reset'])).toBe(wait);
    const elsewhere = await caller.request(method, pathOf(route), { json: method === 'GET' ? undefined : {} });
    expect(isLimited(elsewhere)).toBe(false);
  });

  test('over the limit, the right password is refused from this address but accepted from another', async () => {
    const user = await app().seedUser();
    const address = freshAddress();
    await useUp(8, () => login(app().client(), { address }));

    const reply = await app().client().login(user, { address });

    expectError(reply, 'TOO_MANY_LOGINS');
    expect(reply.cookies).toEqual([]);
    expect((await app().client().login(user)).status).toBe(200);
  });

  test('one address has a separate budget for each route', async () => {
    const address = freshAddress();
    await useUp(8, () => login(app().client(), { address }));

    expect((await app().client().page('/authsvc/login', { address })).status).toBe(200);
    expect((await app().client().post('/authsvc/api/checkSession', {}, { address })).status).toBe(400);
  });

  test('a logout over the limit does not end the session', async () => {
    const client = await app().signIn(await app().seedUser());
    const address = freshAddress();
    await useUp(10, () => app().client().post('/authsvc/api/logout', {}, { address }));

    expectError(await client.logout({ address }), 'TOO_MANY_LOGOUTS');
    expect(await client.isSignedIn()).toBe(true);
  });

  test('the secret token of the operator does not help over the limit', async () => {
    const address = freshAddress();
    const terminate = (authorization: string) =>
      app().client().post('/authsvc/api/terminateAllSessions', undefined, { address, headers: { authorization } });
    await useUp(3, () => terminate('a guess'));

    expectError(await terminate(MAIN_SECRET), 'TOO_MANY_REQUESTS');
  });

  test('both URLs of the session page share one budget', async () => {
    const address = freshAddress();
    const paths = ['/authsvc/test', '/authsvc/', '/authsvc/test/', '/authsvc'];

    const refused = await useUp(8, (at) =>
      app()
        .client()
        .page(paths[at % 4] ?? '', { address }),
    );

    expect(refused.headers['content-type']).toContain('text/html');
  });

  test('a trailing slash and a query share the budget of the plain path, and no other spelling reaches the route', async () => {
    const user = await app().seedUser();
    const address = freshAddress();
    const paths = ['', '/', '?x=1', '/?x=1'].map((end) => `/authsvc/api/login${end}`);
    await useUp(8, (at) =>
      app()
        .client()
        .post(paths[at % 4] ?? '', {}, { address }),
    );
    const spellings = [
      '/AUTHSVC/API/LOGIN',
      '/authsvc//api/login',
      '//authsvc/api/login',
      '/authsvc/api/./login',
      '/authsvc/api/%6Cogin',
    ];

    for (const path of spellings) {
      const reply = await app().client().post(path, { username: user.username, password: user.password }, { address });
      expect([path, reply.status]).toEqual([path, path.includes('%6C') ? 429 : 404]);
    }
  });

  test('HEAD counts like GET, while OPTIONS and methods that are not allowed do not count', async () => {
    const address = freshAddress();
    for (const method of ['OPTIONS', 'PUT', 'POST', 'DELETE']) {
      for (let i = 0; i < 4; i += 1) await app().client().request(method, '/authsvc/login', { address });
    }

    const refused = await useUp(8, (at) =>
      app()
        .client()
        .request(at % 2 ? 'GET' : 'HEAD', '/authsvc/login', { address }),
    );

    expect(refused.text).toBe('');
    expect(refused.headers['retry-after']).toMatch(/^\d+$/);
  });

  test('a cross-site request does not count against the visitor', async () => {
    const address = freshAddress();
    const headers = { 'sec-fetch-site': 'cross-site' };
    for (let i = 0; i < 9; i += 1) expect((await login(app().client(), { address, headers })).status).toBe(403);

    expect((await login(app().client(), { address })).status).toBe(400);
  });

  test('on the login page, signed-in visitors are neither counted nor refused', async () => {
    const client = await app().signIn(await app().seedUser());
    const address = freshAddress();
    const show = (visitor: Client) => visitor.page('/authsvc/login', { address });
    for (let i = 0; i < 10; i += 1) expect((await show(client)).status).toBe(200);

    await useUp(8, () => show(app().client()));

    expect((await show(client)).status).toBe(200);
    client.jar.set('session_id', 'v1.nonsense');
    expect((await show(client)).status).toBe(429);
  });

  test('forty simultaneous requests use up exactly the budget', async () => {
    const address = freshAddress();

    const replies = await Promise.all(Array.from({ length: 40 }, () => login(app().client(), { address })));

    expect(replies.filter((reply) => !isLimited(reply))).toHaveLength(8);
  });
});

eachDatabase('the address that is counted', (database) => {
  const app = sharedApp({ database });
  const hits = (claims: string[]) => async (at: number) =>
    login(app().client(), { address: claims[at % claims.length] ?? '' });

  test('addresses of one IPv6 /64 network share a budget, another network has its own', async () => {
    const network = Array.from({ length: 9 }, (_, at) => `2001:db8:1:2:${at}::${at + 1}`);
    await useUp(8, hits(network));

    expect((await login(app().client(), { address: '2001:db8:1:3::1' })).status).toBe(400);
    expect((await login(app().client(), { address: '2001:DB8:0001:2:ffff::1' })).status).toBe(429);
  });

  test('addresses of one IPv6 /48 network share four budgets, however many /64 networks they are in', async () => {
    const replies = [];
    for (let at = 0; at < 40; at += 1)
      replies.push(await login(app().client(), { address: `2001:db8:77:${(at * 257).toString(16)}::1` }));

    expect(replies.filter((reply) => !isLimited(reply))).toHaveLength(32);
    expect((await login(app().client(), { address: '2001:db8:78::1' })).status).toBe(400);
  });

  test('an IPv4 address is the same with a port, mapped into IPv6, or as it is', async () => {
    await useUp(8, hits(['203.0.113.9', '203.0.113.9:51234', '203.0.113.9:4', '::ffff:203.0.113.9']));
  });

  test.each(['rubbish', '<script>', '1', ',', '999.1.1.1', 'a'.repeat(3000), '203.0.113.1, rubbish'])(
    'an invalid X-Forwarded-For gets no separate budget and does no harm: %s',
    async (claim) => {
      const replies = [];
      for (let i = 0; i < 9; i += 1)
        replies.push(await login(app().client(), { address: i % 2 ? claim : `${claim} ` }));

      expect(replies.map(({ status }) => status).filter((status) => status !== 400 && status !== 429)).toEqual([]);
      expect(replies.at(-1)?.status).toBe(429);
    },
  );
});

const behindProxies = (t: Parameters<typeof startApp>[0], TRUST_PROXY: string) =>
  startApp(t, { database: 'sqlite', settings: { TRUST_PROXY } });

test.for(['false', '192.0.2.0/24', 'linklocal,uniquelocal'])(
  'with TRUST_PROXY=%s, X-Forwarded-For is ignored, because the client is not a trusted proxy',
  async (setting, t) => {
    const app = await behindProxies(t, setting);

    await useUp(8, (at) => login(app.client(), { address: `203.0.113.${at}` }));
  },
);

test.for([
  ['true', '203.0.113.7, 10.0.0.1'],
  ['0.0.0.0/0', '203.0.113.7, 10.0.0.1'],
  ['loopback', '203.0.113.7'],
  ['127.0.0.1', '6.6.6.6, 203.0.113.7'],
  ['loopback,10.0.0.0/8', '6.6.6.6, 203.0.113.7, 10.0.0.1'],
  ['loopback,10.0.0.0/8', '6.6.6.6, 203.0.113.7:51234, 10.0.0.1:4443'],
  ['loopback,fd00::/8', '6.6.6.6, 203.0.113.7, [fd00::1]:4443'],
] as const)(
  'with TRUST_PROXY=%s and X-Forwarded-For: %s, the request is counted for 203.0.113.7',
  async ([setting, claim], t) => {
    const app = await behindProxies(t, setting);
    const forged = claim.replace('6.6.6.6', '7.7.7.7');
    await useUp(8, (at) => login(app.client(), { address: at % 2 ? claim : forged }));

    expect((await login(app.client(), { address: claim.replace('203.0.113.7', '203.0.113.8') })).status).toBe(400);
  },
);

eachDatabase('RATE_LIMITS', (database) => {
  test('changes the limits that it names and leaves the others', async (t) => {
    const app = await startApp(t, { database, settings: { RATE_LIMITS: 'login=3/120s, login-page=20/60s' } });
    const address = freshAddress();
    const page = () => app.client().page('/authsvc/login', { address });

    const refused = await useUp(3, () => login(app.client(), { address }));
    for (let i = 0; i < 20; i += 1) expect((await page()).status).toBe(200);

    expectError(refused, 'TOO_MANY_LOGINS');
    expect(refused.headers['ratelimit-limit']).toBe('3');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(60);
    expect((await page()).status).toBe(429);
    await useUp(8, () => app.client().post('/authsvc/api/checkSession', {}, { address }));
  });
});

test('RATE_LIMITS=off, which env=dev allows, refuses no request', async (t) => {
  const app = await startApp(t, { database: 'sqlite', settings: { env: 'dev', RATE_LIMITS: 'off' } });
  const address = freshAddress();

  for (let i = 0; i < 20; i += 1) expect((await login(app.client(), { address })).status).toBe(400);
});

test('on PostgreSQL a restart of the service gives no one a new budget', async (t) => {
  const fresh = await freshDatabase('postgres');
  t.onTestFinished(fresh.drop);
  const address = freshAddress();
  const fiveLogins = async () => {
    const stops: (() => Promise<void>)[] = [];
    const app = await startApp({ onTestFinished: (stop) => void stops.push(stop) }, { database: fresh });
    const statuses = [];
    for (let i = 0; i < 5; i += 1) statuses.push((await login(app.client(), { address })).status);
    for (const stop of stops) await stop();
    return statuses;
  };

  expect([...(await fiveLogins()), ...(await fiveLogins())]).toEqual([...Array(8).fill(400), 429, 429]);
});

test('on PostgreSQL a request that waits for a row lock counts in the window that the lock holder has begun', async (t) => {
  const { database } = (await startApp(t, { database: 'postgres' })).services;
  const use = { key: 'waits', windowMs: 60_000 };
  const waiting = () => sql`select 1 from pg_stat_activity where wait_event_type = 'Lock'`.execute(database.kysely);

  const later = await database.transaction(async (tx) => {
    await countRateLimit.first(tx, use);
    const counted = countRateLimit.first(database, use);
    await vi.waitUntil(async () => (await waiting()).rows.length > 0);
    const expire = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint + ${use.windowMs}`;
    await tx.kysely.updateTable('rate_limits').set({ expire }).execute();
    return { counted };
  });

  expect(await later.counted).toMatchObject({ uses: 2 });
});

test('two processes on one PostgreSQL share one budget', async (t) => {
  const fresh = await freshDatabase('postgres');
  t.onTestFinished(fresh.drop);
  const [one, other] = [await startApp(t, { database: fresh }), await startApp(t, { database: fresh })];
  const address = freshAddress();

  const replies = await Promise.all(
    Array.from({ length: 30 }, (_, at) => login((at % 2 ? one : other).client(), { address })),
  );

  expect(replies.filter((reply) => !isLimited(reply))).toHaveLength(8);
});

test('while PostgreSQL is unavailable each process counts alone, and the login page is still shown', async (t) => {
  const fresh = await freshDatabase('postgres');
  const app = await startApp(t, { database: fresh });
  const address = freshAddress();
  const show = () => app.client().page('/authsvc/login', { address });
  expect((await show()).status).toBe(200);

  await fresh.drop();

  const statuses = [];
  for (let i = 0; i < 10; i += 1) statuses.push((await show()).status);
  expect(statuses.slice(0, 7)).toEqual(Array(7).fill(200));
  expect(statuses.at(-1)).toBe(429);
});
