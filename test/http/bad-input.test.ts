import { describe, expect, test } from 'vitest';
import { type ErrorName, errorNames } from '../../src/errors/registry.ts';
import type { AnyRoute } from '../../src/http/route.ts';
import { createSealer } from '../../src/lib/sealing.ts';
import { allRoutes } from '../../tools/docs/all-routes.ts';
import type { Client, Reply, RequestOptions } from '../support/client.ts';
import { eachDatabase } from '../support/each-database.ts';
import { MAIN_SECRET, type TestApp } from '../support/start-app.ts';
import {
  addressWith,
  bodyFieldsOf,
  brokenBodies,
  type Field,
  fieldsOf,
  notText,
  oddInAddress,
  oddText,
  otherTypes,
  plausibleBody,
} from './bad-values.ts';
import { applicationHeaders, dumpDatabase, expectError, sharedApp } from './support.ts';

const withBody = allRoutes.filter(({ body }) => body.kind === 'json');
const bodiless = allRoutes.filter(({ method, body }) => method !== 'GET' && body.kind === 'none');

/** Returns the JSON text of a body in which one member has this value. */
function bodyWith(fields: Field[], name: string, value: string): string {
  const others = Object.entries(plausibleBody(fields)).filter(([other]) => other !== name);
  const members = others.map(([other, text]) => `${JSON.stringify(other)}:${JSON.stringify(text)}`);
  return `{${[...members, `${JSON.stringify(name)}:${value}`].join(',')}}`;
}

const isErrorName = (value: unknown): value is ErrorName => errorNames.some((name) => name === value);

/**
 * Matches a request id. Ids are removed before the check, because they may contain any word: the 13,675th id of a process
 * ends with `ajv`.
 */
const REQUEST_ID = /(?<![\w-])[\w-]{8}-[0-9a-z]+(?![\w-])/g;

/**
 * Checks that a reply is either a success or one of our own errors. It must not be a 5xx error, and must not show
 * internal details.
 */
function expectHarmless(reply: Reply, what: unknown): void {
  expect([what, reply.status]).toEqual([what, expect.not.toBeOneOf([500, 501, 502, 503, 504])]);
  if (reply.status < 400) return;
  expect(reply.text.replaceAll(REQUEST_ID, '')).not.toMatch(
    /\b(sqlite|postgres|kysely|fastify|ajv)\b|node_modules|\bat .+:\d+:\d+/i,
  );
  if (reply.headers['content-type']?.includes('html')) return;
  const { code } = reply.body;
  expect([what, isErrorName(code)]).toEqual([what, true]);
  if (isErrorName(code)) expectError(reply, code);
}

const knownCallers = new WeakMap<TestApp, Promise<Client[]>>();
const knownApplications = new WeakMap<TestApp, Promise<Client[]>>();

const isForApplications = ({ access }: AnyRoute): boolean =>
  access?.some(({ securitySchemes }) => securitySchemes?.includes('application')) ?? false;

async function makeCallers(app: TestApp): Promise<Client[]> {
  const users = [await app.seedUser(), await app.seedUser({ role: 'superadmin' })];
  return [app.client(), ...(await Promise.all(users.map((user) => app.signIn(user))))];
}

/** Creates a caller without credentials, and an application with its secret. */
async function makeApplications(app: TestApp): Promise<Client[]> {
  const known = app.client();
  Object.assign(known.headers, await applicationHeaders(app));
  return [app.client(), known];
}

/** Returns whether a route refuses every user who is not a superadmin, whatever the request contains. */
const isForSuperadmins = ({ access }: AnyRoute): boolean =>
  access?.some(({ errors }) => errors.includes('SUPERADMIN_REQUIRED')) ?? false;

/**
 * Creates the callers of a route: one without credentials, and a signed-in user and a superadmin, or an application. Each
 * request is sent with a copy of the cookies.
 */
function callers(app: TestApp, route: AnyRoute): Promise<Client[]> {
  if (isForApplications(route)) {
    const applications = knownApplications.get(app) ?? makeApplications(app);
    knownApplications.set(app, applications);
    return applications;
  }
  const known = knownCallers.get(app) ?? makeCallers(app);
  knownCallers.set(app, known);
  return isForSuperadmins(route)
    ? known.then(([nobody, _user, ...others]) => [nobody, ...others].flatMap((one) => one ?? []))
    : known;
}

/** Watches the database. A refused request must not change it; an accepted one may. */
async function watch(app: TestApp) {
  let before = await dumpDatabase(app);
  return {
    saw: async (reply: Reply) => {
      if (reply.status < 300) before = await dumpDatabase(app);
    },
    expectNothingChanged: async () => expect(await dumpDatabase(app)).toEqual(before),
  };
}

const send = (client: Client, { method }: AnyRoute, path: string, raw: string) =>
  client.clone().request(method, path, { raw });

/** Returns whether a route accepts only callers with certain credentials. */
const asksWho = ({ access }: AnyRoute): boolean => access?.some(({ securitySchemes }) => securitySchemes) ?? false;

function nobodysError(route: AnyRoute): ErrorName {
  if (isForApplications(route)) return 'APP_CREDENTIALS_INVALID';
  return asksWho(route) ? 'NOT_SIGNED_IN' : 'BODY_INVALID';
}

/** With these settings the mail routes exist. The mail server never answers. */
const MAIL = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'auth@example.test' };

eachDatabase('bad input in bodies', (database) => {
  const app = sharedApp({ database, settings: MAIL });

  describe.each(withBody)('$method $path', (route) => {
    const fields = bodyFieldsOf(route);
    const path = addressWith(route, '1');

    test.each(fields)('an invalid $name is refused or ignored, and nothing changes', async (field) => {
      const clients = await callers(app(), route);
      const rows = await watch(app());

      for (const client of clients) {
        const refused = asksWho(route) && client === clients[0] ? 401 : 400;
        for (const value of ['null', ...notText, ...oddText]) {
          const reply = await send(client, route, path, bodyWith(fields, field.name, value));
          expectHarmless(reply, [field.name, value.slice(0, 40)]);
          await rows.saw(reply);
          if (field.isText && notText.includes(value)) {
            const named = refused === 400 ? field.name : undefined;
            expect([field.name, value, reply.status]).toEqual([field.name, value, refused]);
            expect([value, reply.body.field]).toEqual([value, named]);
          }
          if (field.isRequired && value === 'null') expect([field.name, reply.status]).toEqual([field.name, refused]);
        }
      }

      await rows.expectNothingChanged();
    });

    const required = fields.filter(({ isRequired }) => isRequired);
    test.each(required)('a missing $name gets 400, like null', async ({ name }) => {
      const [nobody, user] = await callers(app(), route);
      const client = asksWho(route) ? user : nobody;
      const { [name]: _without, ...others } = plausibleBody(fields);
      if (!client) return;

      const absent = await send(client, route, path, JSON.stringify(others));
      const empty = await send(client, route, path, JSON.stringify({ ...others, [name]: null }));

      expect([empty.status, empty.body.code]).toEqual([400, absent.body.code]);
      expectError(absent, route.fieldErrors?.[name]?.missing ?? 'MISSING_REQUIRED_FIELD', name);
      expect(empty.body.field).toBe(name);
    });

    test('keys that reach a prototype, duplicate keys and thousands of keys do no harm', async () => {
      const clients = await callers(app(), route);
      const rows = await watch(app());
      const plain = JSON.stringify(plausibleBody(fields)).slice(1, -1);
      const join = (...members: string[]) => `{${members.filter(Boolean).join(',')}}`;
      const many = Array.from({ length: 5000 }, (_, at) => `"k${at}":1`).join(',');
      const bodies = [
        join(plain, '"__proto__":{"role":"superadmin","is_active":true}'),
        join('"__proto__":null', plain),
        join('"\\u005f_proto__":{"x":1}', plain),
        join(plain, '"constructor":{"prototype":{"role":"superadmin"}}'),
        join(plain, '"toString":1,"hasOwnProperty":1,"then":1'),
        join(plain, plain),
        join(many, plain),
      ];

      for (const client of clients) {
        const normal = await send(client, route, path, join(plain));
        await rows.saw(normal);
        for (const raw of bodies) {
          const reply = await send(client, route, path, raw);
          expectHarmless(reply, raw.slice(0, 80));
          await rows.saw(reply);
          if (normal.status >= 400)
            expect([raw.slice(0, 80), reply.body.code]).toEqual([raw.slice(0, 80), normal.body.code]);
        }
      }

      expect({}).not.toHaveProperty('role');
      expect({}).not.toHaveProperty('x');
      await rows.expectNothingChanged();
    });

    test.each(brokenBodies)('a body that is %s gets 400', async (_what, raw) => {
      const [nobody, ...people] = await callers(app(), route);
      for (const client of people) expectError(await send(client, route, path, raw), 'BODY_INVALID');
      if (nobody) expectError(await send(nobody, route, path, raw), nobodysError(route));
    });
  });

  describe.each(withBody)('$method $path', (route) => {
    const path = addressWith(route, '1');

    test('half JSON gets 400, another content type 415, more than 64 KiB 413; and nothing changes', async () => {
      const [nobody, ...people] = await callers(app(), route);
      const before = await dumpDatabase(app());

      for (const client of asksWho(route) ? people : [nobody, ...people]) {
        if (!client) continue;
        const ask = (raw: string | Buffer, type?: string) =>
          client.clone().request(route.method, path, { raw, ...(type ? { type } : {}) });
        expectError(await ask('{"a":'), 'BODY_INVALID');
        for (const type of otherTypes) expectError(await ask('{"a":"b"}', type), 'CONTENT_TYPE_UNSUPPORTED');
        expectError(await ask(`{"a":"${'x'.repeat(64 * 1024)}"}`), 'BODY_TOO_LARGE');
        expectError(await ask(Buffer.alloc(1024 * 1024, 'x')), 'BODY_TOO_LARGE');
        for (const bytes of ['7b2261223a22ff', '7b2261223a22ff227d', '7b2261223a22c0af227d', '7b2261223a22eda080227d'])
          expectError(await ask(Buffer.from(bytes, 'hex')), 'BODY_INVALID');
      }

      expect(await dumpDatabase(app())).toEqual(before);
    });
  });

  test('JSON in UTF-8 with a charset parameter, in capital letters, or with a byte order mark is accepted', async () => {
    const raw = '{"session_id":"00000000-0000-4000-8000-000000000000"}';
    const types = ['application/json; charset=utf-8', 'Application/JSON', 'application/json;charset="UTF-8"'];

    for (const type of types) {
      const reply = await app().client().request('POST', '/authsvc/api/verifySession', { raw, type });
      expect([type, reply.status]).toEqual([type, 200]);
    }
    const marked = await app()
      .client()
      .request('POST', '/authsvc/api/verifySession', { raw: `\uFEFF${raw}` });
    expect([200, 400]).toContain(marked.status);
  });

  test('a body with a Content-Encoding is refused, and not read as if it had none', async () => {
    const raw = '{"session_id":"00000000-0000-4000-8000-000000000000"}';
    const send = (coding: string) =>
      app()
        .client()
        .request('POST', '/authsvc/api/verifySession', { raw, headers: { 'content-encoding': coding } });

    expect([(await send('gzip')).status, (await send('br')).status, (await send('Identity')).status]).toEqual([
      415, 415, 200,
    ]);
  });

  test.each(['application/json', 'application/x-www-form-urlencoded', 'text/plain'])(
    'an empty body of the type %s is refused if the route reads a body',
    async (type) => {
      const reply = await app().client().request('POST', '/authsvc/api/verifySession', { raw: '', type });

      expectError(reply, type === 'application/json' ? 'BODY_INVALID' : 'CONTENT_TYPE_UNSUPPORTED');
    },
  );

  describe.each(bodiless)('$method $path', (route) => {
    const path = addressWith(route, '999999999');

    test('the reply is the same with any body as without one', async () => {
      const ask = async (client: Client, body: RequestOptions) => {
        const headers = { authorization: MAIN_SECRET };
        const { status, body: answer } = await client.clone().request(route.method, path, { ...body, headers });
        return [status, answer.code];
      };
      const bodies = ['{"a":', '[]', 'null', '', 'a=b', 'x'.repeat(100_000)];

      for (const client of await makeCallers(app())) {
        const plain = await ask(client, {});
        for (const raw of bodies) {
          for (const type of ['application/json', ...otherTypes.filter((name) => name.includes('/'))]) {
            expect([raw.slice(0, 9), type, await ask(client, { raw, type })]).toEqual([raw.slice(0, 9), type, plain]);
          }
        }
      }
    });
  });

  test('a body of exactly 64 KiB is accepted', async () => {
    const frame = '{"session_id":"00000000-0000-4000-8000-000000000000","x":""}';
    const raw = frame.replace('""', `"${'x'.repeat(64 * 1024 - frame.length)}"`);

    expect((await app().client().request('POST', '/authsvc/api/verifySession', { raw })).status).toBe(200);
    expect(
      (
        await app()
          .client()
          .request('POST', '/authsvc/api/verifySession', { raw: `${raw} ` })
      ).status,
    ).toBe(413);
  });
});

eachDatabase('bad input in URLs', (database) => {
  const app = sharedApp({ database, settings: MAIL });

  const withParams = allRoutes.filter(({ path }) => path.includes(':'));
  test.each(withParams)('$method $path: odd values in the path do no harm and change nothing', async (route) => {
    const clients = await callers(app(), route);
    const before = await dumpDatabase(app());

    for (const client of clients) {
      const headers = { 'x-csrf-token': await client.csrf() };
      for (const value of oddInAddress) {
        const path = addressWith(route, value);
        const json = route.method === 'GET' ? undefined : {};
        expectHarmless(await client.clone().request(route.method, path, { json, headers }), path.slice(0, 80));
      }
    }

    expect(await dumpDatabase(app())).toEqual(before);
  });

  const gets = allRoutes.filter(({ method, path }) => method === 'GET' && !path.includes(':'));
  test.each(gets)('$method $path: an odd query does no harm and changes nothing', async (route) => {
    const { path, query } = route;
    const [nobody, , superadmin] = await callers(app(), route);
    const before = await dumpDatabase(app());
    const known = (query ? fieldsOf(query) : []).flatMap(({ name }) => oddInAddress.map((value) => `${name}=${value}`));
    const unknown = ['x=%00', 'x=%FF', '%E0%A4%A=1', '__proto__=1', '__proto__[x]=1', 'x=1&x=2', 'x[]=1', '&&=&', '?'];
    const repeated = (query ? fieldsOf(query) : []).flatMap(({ name }) => [`${name}=1&${name}=2`, `${name}[]=1`]);

    for (const client of [nobody, superadmin]) {
      for (const text of [...known, ...repeated, ...unknown]) {
        const reply = await client?.clone().page(`${path}?${text}`);
        if (reply) expectHarmless(reply, text.slice(0, 60));
      }
    }

    expect({}).not.toHaveProperty('x');
    expect(await dumpDatabase(app())).toEqual(before);
  });

  test.each(['/%E0%A4%A', '/authsvc/%', '/authsvc/api/%zz', '/%FF', '/authsvc/login%'])(
    'broken percent-encoding %s gets 400, as JSON or as a page',
    async (path) => {
      expectError(await app().client().get(path), 'URL_INVALID');
      const page = await app().client().page(path);
      expect([page.status, page.headers['content-type']]).toEqual([400, 'text/html; charset=utf-8']);
    },
  );

  test('a URL of 15 KB is unknown and does no harm', async () => {
    for (const path of [
      `/${'x'.repeat(15_000)}`,
      `/${'x/'.repeat(7000)}`,
      `/authsvc/login?redirect=/${'x'.repeat(15_000)}`,
    ]) {
      expectHarmless(await app().client().get(path), path.slice(0, 40));
    }
  });
});

/** Returns some positions in a text: both ends, and a dozen between. */
const places = (text: string) => [
  ...new Set([
    0,
    1,
    2,
    3,
    ...Array.from({ length: 12 }, (_, at) => Math.floor((at * text.length) / 12)),
    text.length - 1,
  ]),
];

const flip = (text: string, at: number) => text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);

function broken(value: string): string[] {
  return [
    ...places(value).map((at) => flip(value, at)),
    ...places(value).map((at) => value.slice(0, at)),
    value.slice(1),
    `${value}A`,
    `${value}=`,
    `${value}%00`,
    value + value,
    `${value}.${value}`,
    value.toLowerCase() === value ? value.toUpperCase() : value.toLowerCase(),
    encodeURIComponent(`${value}\n`),
    'x'.repeat(3000),
  ];
}

eachDatabase('bad cookies', (database) => {
  const app = sharedApp({ database, settings: MAIL });

  /** Collects the names and values of all cookies that the service sets in ordinary use. */
  async function everyCookie(client: Client): Promise<[string, string][]> {
    const pages = allRoutes.filter(
      ({ method, kind, path }) => method === 'GET' && kind === 'page' && !path.includes(':'),
    );
    for (const { path } of pages) await client.page(path);
    return [...client.jar];
  }

  async function expectNoHarm(client: Client, what: unknown): Promise<void> {
    const _csrf = 'AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
    const replies = [
      await client.clone().get('/authsvc/api/checkSession'),
      await client.clone().page('/authsvc/login'),
      await client.clone().page('/authsvc/test'),
      await client.clone().post('/authsvc/api/logout', { _csrf }),
    ];
    for (const reply of replies) expectHarmless(reply, what);
  }

  test('a cookie with a changed, missing, repeated or added part signs no one in and does no harm', async () => {
    const client = await app().signIn(await app().seedUser());
    const cookies = await everyCookie(client);
    const before = await dumpDatabase(app());

    for (const [name, value] of cookies) {
      for (const odd of broken(value)) {
        const copy = client.clone();
        copy.jar.set(name, odd);
        await expectNoHarm(copy, [name, odd]);
        if (name === 'session_id') expect([odd, await copy.isSignedIn()]).toEqual([odd, false]);
      }
    }

    expect(cookies.map(([name]) => name)).toEqual(
      expect.arrayContaining(['session_id', 'csrf_secret', 'last_login_method']),
    );
    expect(await dumpDatabase(app())).toEqual(before);
  });

  test('a cookie that is sealed with another key, or for another purpose, is ignored', async () => {
    const client = await app().signIn(await app().seedUser());
    const cookies = await everyCookie(client);
    const { sessions = [] } = await dumpDatabase(app());
    const id = sessions.map((row) => /"id":"([^"]+)"/.exec(row)?.[1] ?? '').at(-1) ?? '';
    const stranger = createSealer(['another-session-secret-0123456789-abcdef']);
    const { sealer } = app().services;
    const purposes = [
      '',
      'session_id',
      'cookie',
      'csrf token',
      'cookie csrf_secret',
      'cookie account_list',
      'cookie device',
    ];
    const forged = [
      id,
      stranger.seal('cookie session_id', id),
      ...purposes.map((purpose) => sealer.seal(purpose, id)),
      sealer.seal('cookie session_id', `${id}x`),
      sealer.seal('cookie session_id', JSON.stringify([id])),
      ...cookies.filter(([name]) => name !== 'session_id').map(([, value]) => value),
    ];

    for (const value of forged) {
      for (const [name] of cookies) {
        const copy = client.clone();
        copy.jar.set(name, value);
        await expectNoHarm(copy, [name, value]);
      }
      const thief = app().client();
      thief.jar.set('session_id', value);
      expect([value, await thief.isSignedIn()]).toEqual([value, false]);
    }
    const control = app().client();
    control.jar.set('session_id', sealer.seal('cookie session_id', id));
    expect(await control.isSignedIn()).toBe(true);
  });

  test('a session cookie under the name of another cookie opens no session', async () => {
    const client = await app().signIn(await app().seedUser());
    const value = client.jar.get('session_id') ?? '';

    for (const [name] of (await everyCookie(client)).filter(([other]) => other !== 'session_id')) {
      const thief = app().client();
      thief.jar.set(name, value);
      expect([name, await thief.isSignedIn()]).toEqual([name, false]);
      await expectNoHarm(thief, name);
    }
  });
});
