import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Type } from 'typebox';
import { expect, onTestFinished, test } from 'vitest';
import { type AnyRoute, describeGuard } from '../src/http/route.ts';
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
  summary: 'Feed a pet',
  kind: 'json',
  limit: { name: 'terminate-all', error: 'TOO_MANY_REQUESTS' },
  params: Type.Object({ id: Type.String({ pattern: '^\\d+$' }) }),
  body: Type.Object({ food: Type.String({ minLength: 1, maxLength: 9, description: 'what to feed' }) }),
  fieldErrors: { food: { missing: 'MISSING_REQUIRED_FIELD' } },
  replies: { 200: Type.Object({ fed: Type.Boolean() }) },
  failure: 'INTERNAL_ERROR',
  handle: async () => ({ fed: true }),
};

test('pages that are missing or differ are stale, the others are not', async () => {
  const docs = { 'docs/same.md': 'one\n', 'docs/other.md': 'two\n', 'docs/missing.md': 'three\n' };
  const project = await projectWith({ 'docs/same.md': 'one\n', 'docs/other.md': 'two \n' });

  expect(staleDocs(project, docs)).toEqual(['docs/other.md', 'docs/missing.md']);
});

test('the same program gives the same texts', () => {
  expect(generatedDocs()).toEqual(generatedDocs());
});

test('a route is shown with its limit, its fields and its errors', () => {
  const text = routesPage([pet]);

  expect(text).toContain('| POST | `/pets/:id` | json | – | 3 in 5 minutes (terminate-all) | Feed a pet |');
  expect(text).toContain(
    '| `food` | yes | string, 1 to 9 characters | what to feed; missing: `MISSING_REQUIRED_FIELD` |',
  );
  expect(text).toContain('- 200 `{ "fed": boolean }`');
  expect(text).toContain('| 500 | `INTERNAL_ERROR` | 1201 | Internal Server Error |');
});

test('a guard says what it asks for, and one that does not is not documented', () => {
  const guards = [describeGuard('a leash', () => undefined)];

  expect(routesPage([{ ...pet, guards }])).toContain('- Needs: a leash\n');
  expect(() => routesPage([{ ...pet, guards: [() => undefined] }])).toThrow('POST /pets/:id');
});

test('the OpenAPI document knows what only redirects, what a file is, and what rules check behind the schema', () => {
  const door: AnyRoute = { ...pet, method: 'GET', path: '/door', kind: 'page', redirects: 'always', replies: {} };
  const picture: AnyRoute = {
    ...pet,
    method: 'GET',
    path: '/picture',
    kind: 'file',
    contentType: 'image/png',
    replies: {},
  };
  const body = Type.Object({ password: Type.String(), _csrf: Type.Optional(Type.Unknown()) });
  const login: AnyRoute = { ...pet, path: '/login', body, guards: [describeGuard('CSRF token', () => undefined)] };

  const { paths } = JSON.parse(openApiDocument([door, picture, login], '1.2.3'));

  expect(Object.keys(paths['/door'].get.responses)).toEqual(expect.not.arrayContaining(['200']));
  expect(paths['/door'].get.responses).toHaveProperty('302');
  expect(paths['/picture'].get.responses[200].content).toEqual({ 'image/png': {} });
  expect(paths['/login'].post.requestBody.content['application/json'].schema).toMatchObject({
    required: ['password', '_csrf'],
    properties: { password: { minLength: 8, maxLength: 255 }, _csrf: { type: 'string' } },
  });
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
])('%j is described', (schema, words) => {
  expect(typeWords({ ...schema })).toBe(words);
});

test('a reply is shown as the JSON that it is', () => {
  const schema = Type.Object({ ok: Type.Literal(true), names: Type.Optional(Type.Array(Type.String())) });

  expect(shape({ ...schema })).toBe('{ "ok": true, "names"?: [string, …] }');
});
