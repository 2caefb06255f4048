import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Type } from 'typebox';
import { expect, onTestFinished, test } from 'vitest';
import type { Guard } from '../src/http/guard.ts';
import { emptyReply, fileReply, htmlReply, redirectReply } from '../src/http/reply.ts';
import { type AnyRoute, json } from '../src/http/route.ts';
import { requireCsrf } from '../src/sessions/guards.ts';
import { lintOpenApi } from './docs/lint-openapi.ts';
import { openApiDocument } from './docs/openapi.ts';
import { routesPage } from './docs/routes.ts';
import { shape, typeWords } from './docs/schema-words.ts';
import { generatedDocs, staleDocs } from './make-docs.ts';

async function projectWith(files: Record<string, string>): Promise<string> {
  const project = await mkdtemp(join(tmpdir(), 'authsvc-docs-'));
  onTestFinished(() => rm(project, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(project, path)), { recursive: true });
    await writeFile(join(project, path), text);
  }
  return project;
}

const pet: AnyRoute = {
  method: 'POST',
  path: '/pets/:id',
  operationId: 'feedPet',
  summary: 'Feed a pet',
  kind: 'json',
  limit: { name: 'terminate-all', error: 'TOO_MANY_REQUESTS' },
  params: Type.Object({ id: Type.String({ pattern: '^\\d+$' }) }),
  body: json(Type.Object({ food: Type.String({ minLength: 1, maxLength: 9, description: 'what to feed' }) })),
  fieldErrors: { food: { missing: 'MISSING_REQUIRED_FIELD' } },
  replies: { 200: Type.Object({ fed: Type.Boolean() }) },
  failure: 'INTERNAL_ERROR',
  handle: async () => ({ fed: true }),
};

test('generated pages that are missing or differ are reported as outdated, and no others', async () => {
  const docs = { 'docs/same.md': 'one\n', 'docs/other.md': 'two\n', 'docs/missing.md': 'three\n' };
  const project = await projectWith({ 'docs/same.md': 'one\n', 'docs/other.md': 'two \n' });

  expect(staleDocs(project, docs)).toEqual(['docs/other.md', 'docs/missing.md']);
});

test('the pages that are generated from the same program are the same', () => {
  expect(generatedDocs()).toEqual(generatedDocs());
});

test('a command is shown with its arguments and options, even if it has subcommands', () => {
  const text = generatedDocs()['docs/command-line.md'] ?? '';
  const importing = text.slice(text.indexOf('## authsvc import \\<file>'), text.indexOf('### authsvc import mbkauthe'));

  expect(importing).toContain('| `--dry-run` | report what would be done, and write nothing |');
  expect(importing).toContain('authsvc import users.jsonl --dry-run');
  expect(text).toContain('| `<provider-id>` | the permanent id of the account at the provider');
});

test('a route is shown with its limit, its fields and its errors', () => {
  const text = routesPage([pet]);

  expect(text).toContain('| POST | `/pets/:id` | json | – | 3 in 5 minutes (terminate-all) | Feed a pet |');
  expect(text).toContain(
    '| `food` | yes | string, 1 to 9 characters | what to feed; error if missing: `MISSING_REQUIRED_FIELD` |',
  );
  expect(text).toContain('- 200 `{ "fed": boolean }`');
  expect(text).toContain('| 500 | `INTERNAL_ERROR` | 1201 | Internal Server Error |');
});

const leash: Guard = {
  name: 'a leash',
  errors: ['NOT_SIGNED_IN'],
  securitySchemes: ['session', 'apiToken'],
  sendsTo: 'the shop',
  check: () => undefined,
};

test('the requirements and errors of a guard are part of its route', () => {
  const text = routesPage([{ ...pet, guards: [leash] }]);
  const { paths } = JSON.parse(
    openApiDocument(
      [
        { ...pet, guards: [leash] },
        { ...pet, path: '/free' },
      ],
      '1.2.3',
    ),
  );

  expect(text).toContain('- Needs: after the input: a leash\n');
  expect(routesPage([{ ...pet, access: [leash] }])).toContain('- Needs: a leash\n');
  expect(text).toContain('| 401 | `NOT_SIGNED_IN` | 604 | Please sign in first |');
  expect(paths['/pets/{id}'].post.security).toEqual([{ session: [] }, { apiToken: [] }]);
  expect(paths['/pets/{id}'].post.responses[401].description).toBe('NOT_SIGNED_IN (604)');
  expect(paths['/free'].post.security).toEqual([]);
});

test('a body without a required field is optional', () => {
  const document = openApiDocument([pet, { ...pet, path: '/free', body: json(Type.Object({})) }], '1.2.3');
  const { paths } = JSON.parse(document);

  expect(paths['/pets/{id}'].post.requestBody.required).toBe(true);
  expect(paths['/free'].post.requestBody.required).toBe(false);
});

test('each kind of reply is documented', () => {
  const row = (path: string, facts: Partial<AnyRoute>): AnyRoute => ({ ...pet, method: 'GET', path, ...facts });
  const door = row('/door', { kind: 'page', replies: { 302: redirectReply('The garden') } });
  const page = row('/page', { kind: 'page', access: [leash], replies: { 200: htmlReply, 404: htmlReply } });
  const picture = row('/picture', { kind: 'file', replies: { 200: fileReply('image/png'), 304: emptyReply } });

  const { paths } = JSON.parse(openApiDocument([door, page, picture], '1.2.3'));

  expect(Object.keys(paths['/door'].get.responses)).toEqual(expect.not.arrayContaining(['200']));
  expect(paths['/door'].get.responses[302]).toMatchObject({ description: 'Redirect: The garden' });
  expect(paths['/page'].get.responses[404].content).toEqual({ 'text/html': { schema: { type: 'string' } } });
  expect(paths['/page'].get.responses[302].description).toContain('the shop');
  expect(Object.keys(paths['/page'].get.responses[401].content)).toEqual(['application/json', 'text/html']);
  expect(paths['/picture'].get.responses[200].content).toEqual({ 'image/png': {} });
  expect(paths['/picture'].get.responses[304]).not.toHaveProperty('content');
  expect(routesPage([door, page, picture])).toContain('- 302 a redirect: The garden');
});

test('fields that a rule checks are documented with the limits of the rule', () => {
  const body = Type.Object({ password: Type.String(), _csrf: Type.Optional(Type.Unknown()) });
  const login: AnyRoute = { ...pet, path: '/login', body: json(body), guards: [requireCsrf] };

  const { paths } = JSON.parse(openApiDocument([login], '1.2.3'));

  expect(paths['/login'].post.requestBody.content['application/json'].schema).toMatchObject({
    required: ['password', '_csrf'],
    properties: { password: { minLength: 8, maxLength: 255 }, _csrf: { type: 'string' } },
  });
});

test('paths that differ only in the name of a parameter are one path', () => {
  const owner: AnyRoute = { ...pet, method: 'GET', path: '/pets/:name', operationId: 'findPet' };

  const { paths } = JSON.parse(openApiDocument([pet, owner], '1.2.3'));

  expect(Object.keys(paths)).toEqual(['/pets/{idOrName}']);
  expect(paths['/pets/{idOrName}'].post.parameters[0].name).toBe('idOrName');
});

test('a limited route documents its headers', () => {
  const { paths } = JSON.parse(openApiDocument([pet], '1.2.3'));

  expect(Object.keys(paths['/pets/{id}'].post.responses[429].headers)).toEqual([
    'Retry-After',
    'RateLimit-Limit',
    'RateLimit-Remaining',
    'RateLimit-Reset',
  ]);
  expect(paths['/pets/{id}'].post.responses[200].headers).toHaveProperty('RateLimit-Reset');
});

test('the OpenAPI document names path parameters, bodies and refusals', () => {
  const document: unknown = JSON.parse(openApiDocument([pet], '1.2.3'));

  expect(document).toMatchObject({
    openapi: '3.1.0',
    info: { version: '1.2.3' },
    paths: {
      '/pets/{id}': {
        post: {
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string', pattern: '^\\d+$' } }],
          requestBody: { content: { 'application/json': { schema: { required: ['food'] } } } },
          responses: { 200: {}, 400: {}, 429: {}, 500: {}, default: {} },
        },
      },
    },
  });
});

test.each([
  [Type.String(), 'string'],
  [Type.String({ minLength: 1 }), 'string, at least 1 character'],
  [Type.Integer({ minimum: 1, maximum: 3650 }), 'integer, 1 to 3650'],
  [Type.Array(Type.String(), { maxItems: 100 }), 'array of string, at most 100 entries'],
  [Type.Union([Type.Literal('approve'), Type.Literal('deny')]), '"approve" or "deny"'],
  [Type.Unknown(), 'anything'],
])('%j is described in words', (schema, words) => {
  expect(typeWords({ ...schema })).toBe(words);
});

test('a reply is shown as JSON', () => {
  const schema = Type.Object({ ok: Type.Literal(true), names: Type.Optional(Type.Array(Type.String())) });

  expect(shape({ ...schema })).toBe('{ "ok": true, "names"?: [string, …] }');
});

test('lint accepts the documents that are made', () => {
  expect(lintOpenApi(openApiDocument([pet], '1.0.0'))).toEqual([]);
});

test.each<[fault: string, find: string, replace: string]>([
  ['has no operationId', '"operationId": "feedPet"', '"operationId": ""'],
  ['does not say who may call: `security` is missing', '"security": []', '"safety": []'],
  ['names an unknown security scheme: key', '"security": []', '"security": [{ "key": [] }]'],
  ['does not describe {id}', '"in": "path"', '"in": "query"'],
  ['does not say what type the body of 500 has', '"500": {', '"500": { "description": "" }, "501": {'],
  ['has no reply but errors', '"200": {', '"400": {'],
  ['needs a CSRF token, but lacks CSRF_INVALID', '"required": ["food"]', '"required": ["food", "_csrf"]'],
  ['has no summary', '"summary": "Feed a pet"', '"summary": ""'],
])('lint finds an operation that %s', (fault, find, replace) => {
  const text = openApiDocument([pet], '1.0.0');

  expect(text).toContain(find);
  expect(lintOpenApi(text.replace(find, replace))).toContain(`POST /pets/{id} ${fault}`);
});

test('lint finds faults that concern several operations', () => {
  const bird = { ...pet, path: '/birds/:id', params: Type.Object({ id: Type.Integer() }) };

  const text = openApiDocument([pet, bird], '1.0.0').replace('#/components/headers/RetryAfter', '#/components/nothing');

  expect(lintOpenApi(text)).toEqual([
    'POST /birds/{id} shares its operationId with 1 other',
    'POST /pets/{id} shares its operationId with 1 other',
    '{id} has several types: integer, string',
    '#/components/nothing does not exist',
  ]);
});
