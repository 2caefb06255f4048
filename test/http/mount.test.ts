import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { Type } from 'typebox';
import { beforeAll, describe, expect, test } from 'vitest';
import { AppError } from '../../src/errors/app-error.ts';
import { type ForeignHandler, mount } from '../../src/http/mount.ts';
import { type AnyRoute, defineRoute, form } from '../../src/http/route.ts';
import { buildServer } from '../../src/http/server.ts';
import { requireCsrf } from '../../src/sessions/guards.ts';
import { Client } from '../support/client.ts';
import { expectError, sharedApp } from './support.ts';

const handlers: Record<string, ForeignHandler> = {
  echo: async (request, response) => {
    response.setHeader('cache-control', 'public');
    response.end(`${request.method} ${request.url} ${request.headers['content-type']} ${await text(request)}`);
  },
  late: (_request, response: ServerResponse) => void setImmediate(() => response.writeHead(201).end('late')),
  fault: async (_request, response) => {
    response.setHeader('content-type', 'text/plain');
    throw new Error('a fault of the library');
  },
  refusal: async () => {
    throw new AppError('USER_NOT_FOUND');
  },
  half: async (_request, response) => {
    response.write('half');
    throw new Error('too late for an error reply');
  },
};

const row = { operationId: 'foreign', summary: 'Foreign', kind: 'json', replies: {} } as const;
const mounted = (['GET', 'POST'] as const).flatMap((method): AnyRoute[] =>
  Object.entries(handlers).map(([name, handler]) =>
    mount({
      ...row,
      method,
      path: `/foreign/${name}`,
      ...(name === 'late' ? { limit: { name: 'logout', error: 'TOO_MANY_LOGOUTS' } } : {}),
      serve: () => handler,
    }),
  ),
);

const formRow = {
  method: 'POST',
  operationId: 'form',
  summary: 'A form',
  kind: 'page',
  body: form(Type.Object({ name: Type.String({ minLength: 1 }), role: Type.Optional(Type.Array(Type.String())) })),
  replies: { 200: Type.Object({ name: Type.String(), role: Type.Array(Type.String()) }) },
} as const;
const forms: AnyRoute[] = [
  defineRoute({
    ...formRow,
    path: '/form',
    handle: async ({ body: { name, role = [] } }) => ({ name, role }),
  }),
  defineRoute({
    ...formRow,
    path: '/form/csrf',
    guards: [requireCsrf],
    handle: async ({ body: { name } }) => ({ name, role: [] }),
  }),
];

const FORM = 'application/x-www-form-urlencoded';

describe('routes with handlers of other libraries, and routes of forms', () => {
  const app = sharedApp({ database: 'sqlite' });
  let client: Client;
  let log: () => Record<string, unknown>[];

  beforeAll(async () => {
    const { services, log: lines } = app();
    log = lines;
    const server = buildServer([...mounted, ...forms], services);
    const { port } = new URL(await server.listen({ port: 0, host: '127.0.0.1' }));
    client = new Client(() => Number(port));
    return () => server.close();
  });

  const post = (path: string, raw: string, type: string | undefined = FORM) =>
    client.request('POST', path, { raw, type, headers: { accept: 'application/json' } });

  test('a handler of another library gets the whole body, and replies with our headers or its own', async () => {
    const read = await client.get('/foreign/echo?a=%2F');
    const sent = await post('/foreign/echo', 'a=1&b=%zz');
    const late = await post('/foreign/late', '');

    expect(read.text).toBe('GET /foreign/echo?a=%2F undefined ');
    expect(sent.text).toBe(`POST /foreign/echo ${FORM} a=1&b=%zz`);
    expect(sent.headers['cache-control']).toBe('public');
    expect(sent.headers['content-security-policy']).toContain("default-src 'none'");
    expect([late.status, late.text, late.headers['ratelimit-limit']]).toEqual([201, 'late', '10']);
    expect((await client.request('HEAD', '/foreign/echo')).status).toBe(200);
    expect((await client.request('DELETE', '/foreign/echo')).headers.allow).toBe('GET, POST, HEAD, OPTIONS');
  });

  test('our limits, cross-site check and error replies apply to a handler of another library', async () => {
    expectError(await post('/foreign/echo', 'a'.repeat(65_537)), 'BODY_TOO_LARGE');
    expectError(
      await client.request('POST', '/foreign/echo', { headers: { 'sec-fetch-site': 'cross-site' } }),
      'CROSS_SITE_REQUEST',
    );
    const fault = await client.get('/foreign/fault');
    expectError(fault, 'INTERNAL_ERROR');
    expect(fault.headers['content-type']).toBe('application/json; charset=utf-8');
    expectError(await client.get('/foreign/refusal'), 'USER_NOT_FOUND');
    await expect(client.get('/foreign/half')).rejects.toThrow();
    expect((await client.page('/foreign/fault')).text).toContain('<!doctype html>');
    const lines = log().filter(({ route }) => route === '/foreign/fault');
    expect(lines.map(({ status }) => status)).toEqual([500, 500]);
  });

  test.each<[body: string, name: string, role: string[]]>([
    ['name=Ada', 'Ada', []],
    ['name=%C5%81uk+asz%2B&role=a&role=b', 'Łuk asz+', ['a', 'b']],
    ['&name=a=b&&__proto__=x&constructor=y', 'a=b', []],
  ])('the form %s is parsed into fields', async (body, name, role) => {
    expect((await post('/form', body, `${FORM}; charset=UTF-8`)).body).toEqual({ name, role });
  });

  test('a refused form names the invalid field, whether a schema or the parser refuses it', async () => {
    expectError(await post('/form', ''), 'MISSING_REQUIRED_FIELD', 'name');
    expectError(await post('/form', 'name=a&name=b'), 'FIELD_INVALID', 'name');
    for (const body of ['name=%zz', 'name=%ff', 'name=%']) expectError(await post('/form', body), 'BODY_INVALID');
    for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x']) {
      expectError(await post('/form', '{"name":"a"}', type), 'CONTENT_TYPE_UNSUPPORTED');
    }
    expectError(await post('/form/csrf', 'name=a'), 'CSRF_INVALID');
    const seen = await client.request('POST', '/form/csrf', { raw: 'name=a', type: FORM, headers: { accept: '*/*' } });
    expect([seen.status, seen.headers['content-type']]).toEqual([403, 'text/html; charset=utf-8']);
  });
});
