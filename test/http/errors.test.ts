import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { errorNames, errorRegistry } from '../../src/errors/registry.ts';
import { requireOpenIdConnect } from '../../src/oidc/guards.ts';
import { allRoutes } from '../../tools/docs/all-routes.ts';
import type { Client, Reply } from '../support/client.ts';
import { eachDatabase } from '../support/each-database.ts';
import { startApp } from '../support/start-app.ts';
import { addRelyingParty, expectError, sharedApp } from './support.ts';

const paths = [...new Set(allRoutes.map((route) => route.path))];
/** Routes that do not exist without a mail server. */
const ofMail = ['/authsvc/forgot', '/authsvc/api/forgot', '/authsvc/api/account/email'];
/** Routes that let everyone in, unless passkeys are off. */
const ofPasskeys = ['/authsvc/api/passkey', '/authsvc/api/passkey/options', '/authsvc/api/welcome/options'];
const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

describe('an error reply', () => {
  const app = sharedApp({ database: 'sqlite' });

  test.each([
    ['JSON for a program that asks for JSON', { accept: 'application/json' }, '/nothing', 'json'],
    ['JSON for a program that asks for anything', { accept: '*/*' }, '/nothing', 'json'],
    ['JSON for a program without an Accept header', { accept: undefined }, '/nothing', 'json'],
    [
      'JSON for a program that prefers JSON to a page',
      { accept: 'text/html;q=0.1, application/json' },
      '/nothing',
      'json',
    ],
    ['JSON for a program that excludes pages', { accept: 'text/html;q=0, */*' }, '/nothing', 'json'],
    ['JSON for a program that accepts neither JSON nor a page', { accept: 'image/png' }, '/nothing', 'json'],
    ['a page for a browser', HTML, '/nothing', 'html'],
    ['a page if the character set is named', { accept: 'text/html; charset=utf-8' }, '/nothing', 'html'],
    ['a page for a client that accepts any text', { accept: 'text/*' }, '/nothing', 'html'],
    [
      'a page for a client that prefers a page to JSON',
      { accept: 'application/json;q=0.5, text/html' },
      '/nothing',
      'html',
    ],
    ['a page for a browser at a JSON URL', HTML, '/authsvc/api/login', 'html'],
    ['a page at the URL of a page for a program that accepts anything', { accept: '*/*' }, '/authsvc/login', 'html'],
    [
      'a page at the URL of a page for a program that accepts neither',
      { accept: 'image/png' },
      '/authsvc/login',
      'html',
    ],
    [
      'JSON at the URL of a page for a program that asks for JSON',
      { accept: 'application/json' },
      '/authsvc/login',
      'json',
    ],
  ])('is %s', async (_what, headers, path, kind) => {
    const address = `198.51.100.${path.length}`;
    for (let i = 0; i < 8; i += 1) await app().client().get(path, { address, headers });
    const reply = await app().client().get(path, { address, headers });

    expect([404, 405, 429]).toContain(reply.status);
    expect(reply.headers['content-type']).toContain(kind);
  });

  test('as a page has a link to the login page or to the page of accounts, with the way back', async () => {
    const user = await app().seedUser();
    const asUser = await app().signIn(user);
    const hrefs = (text: string) => [...text.matchAll(/<a href="([^"]*)" class="button/g)].map(([, href]) => href);

    const anonymous = await app().client().page('/authsvc/validate-superadmin?a=1&b=//x');
    const refused = await asUser.page('/authsvc/validate-superadmin');

    const back = '?redirect=%2Fauthsvc%2Fvalidate-superadmin';
    expect([anonymous.status, refused.status]).toEqual([401, 403]);
    expect(hrefs(anonymous.text)).toEqual([`/authsvc/login${back}%3Fa%3D1%26b%3D%2F%2Fx`]);
    expect(hrefs(refused.text)).toEqual([`/authsvc/accounts${back}`]);
  });

  test.each([
    ['PUT', '/authsvc/login', 405],
    ['DELETE', '/nothing', 404],
  ])('for %s %s is a page for a browser, and JSON for a program', async (method, path, status) => {
    const asked = [HTML, {}].map((headers) => app().client().request(method, path, { headers }));
    const [page, json] = await Promise.all(asked);

    expect([page?.status, json?.status]).toEqual([status, status]);
    expect(page?.headers['content-type']).toContain('text/html');
    expect(json?.headers['content-type']).toContain('application/json');
  });

  test('for a caller without access reveals nothing about other faults of the request', async () => {
    const user = await app().signIn(await app().seedUser());
    const guarded = allRoutes.filter(
      ({ kind, access, path }) =>
        kind === 'json' &&
        access &&
        !access.includes(requireOpenIdConnect) &&
        ![...ofMail, ...ofPasskeys].includes(path),
    );
    const ask = (client: Client, { method, path }: (typeof guarded)[number]) =>
      client.request(method, path.replace(/:\w+/g, 'odd'), method === 'POST' ? { json: {} } : {});

    const strangers = await Promise.all(guarded.map((route) => ask(app().client(), route)));
    const posts = guarded.filter(({ method }) => method === 'POST');
    const noJson = await Promise.all(
      ['{', '[]', '"text"', '', 'x'.repeat(70_000)].flatMap((raw) =>
        posts.map(({ method, path }) => app().client().request(method, path, { raw })),
      ),
    );
    const users = await Promise.all(
      guarded.filter(({ path }) => path.startsWith('/api/admin/')).map((route) => ask(user, route)),
    );

    expect(guarded.length).toBeGreaterThanOrEqual(9);
    expect(strangers.map(({ status }) => status)).toEqual(guarded.map(() => 401));
    expect(noJson.map(({ status }) => status)).toEqual(noJson.map(() => 401));
    expect(users.map(({ status }) => status)).toEqual([403, 403, 403]);
  });

  test('to a POST is JSON, whatever the client accepts', async () => {
    for (const path of ['/authsvc/api/login', '/authsvc/test']) {
      const reply = await app().client().post(path, {}, { headers: HTML });
      expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
    }
  });

  test('as a page has the status, the error code, its number and the request id', async () => {
    const reply = await app().client().page('/nothing');

    expect(reply.status).toBe(404);
    for (const text of ['NOT_FOUND', '1202']) expect(reply.text).toContain(text);
    const id = /id="request-id"[^>]*>([^<]+)</.exec(reply.text)?.[1];
    expect(
      app()
        .log()
        .filter((line) => line.request_id === id),
    ).not.toEqual([]);
  });

  test('as a page has its own request id, language and link', async () => {
    const idOf = ({ text }: Reply) => /id="request-id"[^>]*>([^<]+)</.exec(text)?.[1];
    const [first, second] = [await app().client().page('/nothing'), await app().client().page('/nothing')];
    const german = await app()
      .client()
      .page('/nothing', { headers: { 'accept-language': 'de' } });

    expect(idOf(first)).toMatch(/^[\w-]{3,}$/);
    expect(new Set([first, second, german].map(idOf)).size).toBe(3);
    expect(second.text).toBe(first.text.replaceAll(idOf(first) ?? '', idOf(second) ?? ''));
    expect(german.text).toContain('<html lang="de"');
  });

  test('as a page repeats nothing from the requested URL', async () => {
    for (const path of ['/%3Ci%20id%3Dxss%3E', '/x?q=%3Ci%20id%3Dxss%3E', '/authsvc/%22onload%3D1', "/'xss'<i>"]) {
      const { status, text } = await app().client().page(path);
      expect([path, status]).toEqual([path, 404]);
      expect(text).not.toMatch(/<i id=xss>|onload=1|'xss'/);
    }
  });

  test('has a request id of its own, which is in the log and which the client cannot choose', async () => {
    const headers = { 'request-id': 'chosen', 'x-request-id': 'chosen' };
    const ids = [];
    for (let i = 0; i < 3; i += 1) ids.push((await app().client().get('/nothing', { headers })).body.request_id);

    expect(new Set(ids).size).toBe(3);
    for (const id of ids) {
      expect(id).not.toBe('chosen');
      expect(
        app()
          .log()
          .filter((line) => line.request_id === id && line.msg === 'request'),
      ).toHaveLength(1);
    }
  });

  test('has a request id that no other process uses', async (t) => {
    const twin = await startApp(t, { database: 'sqlite' });
    const ids = [];
    for (let i = 0; i < 20; i += 1) {
      ids.push(
        (await app().client().get('/nothing')).body.request_id,
        (await twin.client().get('/nothing')).body.request_id,
      );
    }

    expect(new Set(ids).size).toBe(40);
  });

  test('to HEAD has status and headers but no body', async () => {
    for (const accept of ['text/html', 'application/json']) {
      const reply = await app().client().request('HEAD', '/nothing', { headers: { accept } });
      expect([reply.status, reply.text]).toEqual([404, '']);
    }
  });
});

describe('methods', () => {
  /** Returns a path without the names of its parameters. */
  const shapeOf = (path: string) => path.replace(/:\w+/g, ':');
  const app = sharedApp({ database: 'sqlite' });
  beforeAll(() => addRelyingParty(app()));

  const ofSomeMethods = paths.filter((path) => !allRoutes.some((row) => row.path === path && row.takesAnyMethod));
  test.each(ofSomeMethods)(
    '%s: every other method gets 405 with Allow, and OPTIONS lists the methods',
    async (path) => {
      const own = allRoutes
        .filter((route) => shapeOf(route.path) === shapeOf(path))
        .map((route): string => route.method);
      const allow = [...own, ...(own.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].sort();
      const url = path.replace(/:\w+/g, '1');
      const others = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'].filter(
        (method) => !allow.includes(method),
      );

      for (const method of others) {
        const reply = await app().client().request(method, url);
        expect([method, reply.status]).toEqual([method, 405]);
        expect(reply.headers.allow?.split(', ').sort()).toEqual(allow);
        if (method !== 'HEAD') expectError(reply, 'METHOD_NOT_ALLOWED');
      }
      const options = await app().client().request('OPTIONS', url);
      expect([options.status, options.headers.allow?.split(', ').sort()]).toEqual([204, allow]);
    },
  );

  const gets = paths.filter((path) => allRoutes.some((route) => route.path === path && route.method === 'GET'));
  test.each(gets)('HEAD %s gets the reply of GET without the body', async (path) => {
    const url = path.replace(/:\w+/g, '1');
    const [get, head] = [await app().client().page(url), await app().client().request('HEAD', url, { headers: HTML })];

    expect([head.status, head.text]).toEqual([get.status, '']);
    expect(head.headers['content-type']).toBe(get.headers['content-type']);
    expect(head.headers.location).toBe(get.headers.location);
  });

  test.each([
    ['PROPFIND', 405],
    ['QUERY', 405],
    ['LINK', 405],
    ['CONNECT', 0],
  ])('%s is not supported and gets %i, where 0 means a closed connection', async (method, expected) => {
    const status = await new Promise<number>((done) => {
      const request = httpRequest({
        host: '127.0.0.1',
        port: app().port,
        method,
        path: '/authsvc/login',
        agent: false,
      });
      request.on('response', (reply) => done(reply.resume().statusCode ?? 0));
      request.on('connect', (reply) => done(reply.statusCode ?? 0));
      request.on('error', () => done(0));
      request.end();
    });

    expect(status).toBe(expected);
    expect((await app().client().get('/healthz')).status).toBe(200);
  });

  // With the parameter `1`, these paths name nothing that exists: no file of the build, no file of the operator's brand,
  // and no link or code.
  const links = ['/authsvc/welcome/:code', '/authsvc/email/:code', '/authsvc/api/probe/:code'];
  const named = ['/authsvc/assets/:name', '/authsvc/brand/:name', ...links];
  const answering = paths.filter((path) => path !== '/' && !named.includes(path) && !ofMail.includes(path));
  test.each(answering)('%s is the same with a trailing slash or a query', async (path) => {
    const method = allRoutes.find((route) => route.path === path)?.method ?? 'GET';
    const url = path.replace(/:\w+/g, '1').replace(/\/$/, '');
    const ask = (end: string) =>
      app()
        .client()
        .request(method, url + end, method === 'GET' ? {} : { json: {} });

    const statuses = [
      (await ask('')).status,
      (await ask('/')).status,
      (await ask('?x=1')).status,
      (await ask('/?x=1')).status,
    ];

    expect(new Set(statuses).size).toBe(1);
    expect(statuses[0]).not.toBe(404);
  });

  test('other spellings of a path are unknown, except percent-encoded ones', async () => {
    const spellings: [string, number][] = [
      ['/AUTHSVC/validate-superadmin', 404],
      ['/authsvc/VALIDATE-superadmin', 404],
      ['//authsvc/validate-superadmin', 404],
      ['/authsvc//validate-superadmin', 404],
      ['/authsvc/./validate-superadmin', 404],
      ['/authsvc/x/../validate-superadmin', 404],
      ['/authsvc/validate%2Dsuperadmin', 401],
      ['/authsvc/validate-superadmin;x=1', 404],
      ['/authsvc%2Fvalidate-superadmin', 404],
    ];

    for (const [path, status] of spellings) {
      expect([path, (await app().client().get(path)).status]).toEqual([path, status]);
    }
  });
});

describe('bytes that are not an HTTP request', () => {
  const app = sharedApp({ database: 'sqlite' });

  /** Sends raw bytes, and returns everything that comes back until the connection closes. */
  const speak = (bytes: string) =>
    new Promise<string>((done) => {
      let heard = '';
      const socket = connect(app().port, '127.0.0.1', () => socket.end(bytes));
      socket.setEncoding('utf8').on('data', (text) => {
        heard += text;
      });
      socket.on('close', () => done(heard)).on('error', () => done(heard));
    });

  test.each([
    ['nonsense', 'nonsense\r\n\r\n'],
    ['no host', 'GET /healthz HTTP/1.1\r\n\r\n'],
    ['two lengths', 'POST /authsvc/api/login HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}'],
    [
      'length and chunks',
      'POST /authsvc/api/login HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a broken length', 'POST /authsvc/api/login HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n{}'],
    ['a NUL in the address', 'GET /\0 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a header of 40 KB', `GET /healthz HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`],
    [
      'half a body',
      'POST /authsvc/api/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"us',
    ],
  ])('are refused, and the service goes on: %s', async (_what, bytes) => {
    const heard = await speak(bytes);

    if (heard) expect(heard).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(heard).not.toMatch(/node_modules|\bat .+:\d+:\d+/);
    expect((await app().client().get('/healthz')).body).toEqual({ status: 'ok' });
  });
});

test('the list of errors shows every entry of the registry with its texts', async (t) => {
  const app = await startApp(t, { database: 'sqlite' });
  const plain = (html: string) => html.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&');

  const text = plain((await app.client().page('/authsvc/ErrorCode', { headers: { 'accept-language': 'en' } })).text);

  for (const name of errorNames) {
    const { number, message, hint } = errorRegistry[name];
    for (const part of [`id="${name}"`, String(number), message, hint]) expect(text).toContain(part);
  }
});

eachDatabase('an unexpected error', (database) => {
  test('is logged with its cause, and reported without it', async (t) => {
    const app = await startApp(t, { database });
    const client = await app.signIn(await app.seedUser());
    await sql`alter table users rename to users_away`.execute(app.services.database.kysely);

    const reply = await client.post('/authsvc/test');

    expectError(reply, 'INTERNAL_ERROR');
    expect(reply.text).not.toMatch(/users|sqlite|postgres|relation/i);
    const logged = app.log().filter((line) => line.request_id === reply.body.request_id && line.level === 'error');
    expect(logged).toEqual([
      expect.objectContaining({
        err: expect.objectContaining({
          query: expect.stringMatching(/^sessions\./),
          message: expect.stringMatching(/users/),
          stack: expect.stringMatching(/find-session\.ts/),
        }),
      }),
    ]);
  });

  test('in a transaction is logged with its query and its caller too', async (t) => {
    const app = await startApp(t, { database });
    const user = await app.seedUser();
    await sql`alter table sessions rename to sessions_away`.execute(app.services.database.kysely);

    const reply = await app.client().login(user);

    expectError(reply, 'LOGIN_FAILED');
    const logged = app.log().filter((line) => line.request_id === reply.body.request_id && line.level === 'error');
    expect(logged).toEqual([
      expect.objectContaining({
        err: expect.objectContaining({
          query: expect.stringMatching(/^sessions\./),
          stack: expect.stringMatching(/start-session\.ts[\s\S]*open-session\.ts/),
        }),
      }),
    ]);
  });

  test('about an unreadable password hash is logged with the id of the user, and is not reported as a wrong password', async (t) => {
    const app = await startApp(t, { database });
    const user = await app.seedUser();
    await sql`update users set password_hash = 'damaged' where id = ${user.id}`.execute(app.services.database.kysely);

    const reply = await app.client().login(user);

    expectError(reply, 'LOGIN_FAILED');
    const logged = app.log().filter((line) => line.request_id === reply.body.request_id && line.level === 'error');
    expect(JSON.stringify(logged)).toContain(`the password of user ${user.id} could not be compared with its hash`);
  });
});
