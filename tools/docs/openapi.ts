import { errorRegistry } from '../../src/errors/registry.ts';
import type { AnyRoute } from '../../src/http/route.ts';
import { documentedField, isVague } from './documented-field.ts';
import { guardWords } from './guard-words.ts';
import { commonErrors, errorsOf, inOrder } from './routes.ts';
import { fieldsOf, plainSchema, type Schema } from './schema-words.ts';

const errorSchema: Schema = {
  type: 'object',
  required: ['success', 'message', 'code', 'error_code', 'hint', 'request_id'],
  properties: {
    success: { const: false },
    message: { type: 'string' },
    code: { type: 'string', description: 'Name of the error; see errors.md' },
    error_code: { type: 'integer', description: 'Number of the error; see errors.md' },
    hint: { type: 'string', description: 'What can be done next' },
    request_id: { type: 'string', description: 'Id of the request in the log' },
  },
};

const securitySchemes = {
  session: { type: 'apiKey', in: 'cookie', name: 'session_id', description: 'Sealed session, set by a sign-in' },
  apiToken: { type: 'http', scheme: 'bearer', description: 'API token, tok_ and 64 hexadecimal digits' },
  mainSecret: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'MAIN_SECRET_TOKEN, without a scheme',
  },
};

function security(route: AnyRoute): { security?: Record<string, string[]>[] } {
  const needs = guardWords(route);
  if (needs.includes('main secret token')) return { security: [{ mainSecret: [] }] };
  if (needs.includes('session or API token')) return { security: [{ session: [] }, { apiToken: [] }] };
  return needs.includes('session') ? { security: [{ session: [] }] } : {};
}

const pathOf = (route: AnyRoute): string => route.path.replace(/:(\w+)/g, '{$1}');

function parameters(place: 'path' | 'query', schema: unknown): Schema[] {
  if (!schema) return [];
  return fieldsOf(plainSchema(schema)).map(({ name, isRequired, schema: field }) => {
    const { description, ...rest } = documentedField(name, field);
    return {
      name,
      in: place,
      required: place === 'path' || isRequired,
      ...(description ? { description } : {}),
      schema: rest,
    };
  });
}

/** The body as callers should send it: with the limits that its rule checks, and a CSRF token where a guard asks for one. */
function bodySchema(route: AnyRoute): Schema {
  const body = plainSchema(route.body);
  const fields = fieldsOf(body);
  const asksForToken = guardWords(route).includes('CSRF token');
  const mustHave = (name: string, schema: Schema) =>
    (isVague(schema) && (name === 'session_id' || route.fieldErrors?.[name]?.missing !== undefined)) ||
    (name === '_csrf' && asksForToken);
  const required = fields
    .filter(({ name, isRequired, schema }) => isRequired || mustHave(name, schema))
    .map(({ name }) => name);
  const properties = Object.fromEntries(fields.map(({ name, schema }) => [name, documentedField(name, schema)]));
  return { ...body, ...(required.length > 0 ? { required } : {}), ...(fields.length > 0 ? { properties } : {}) };
}

/** Path parameters without a schema of their own are texts. */
function pathParameters(route: AnyRoute): Schema[] {
  const described = parameters('path', route.params);
  const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const missing = names.filter((name) => !described.some((parameter) => parameter.name === name));
  return [...described, ...missing.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }))];
}

function errorResponses(route: AnyRoute): Record<string, Schema> {
  const byStatus = new Map<number, string[]>();
  for (const name of errorsOf(route)) {
    const { status, number } = errorRegistry[name];
    byStatus.set(status, [...(byStatus.get(status) ?? []), `${name} (${number})`]);
  }
  const content = {
    [route.kind === 'page' ? 'text/html' : 'application/json']:
      route.kind === 'page' ? { schema: { type: 'string' } } : { schema: { $ref: '#/components/schemas/Error' } },
  };
  const responses: Record<string, Schema> = {};
  for (const [status, names] of byStatus) responses[status] = { description: names.join(', '), content };
  return responses;
}

/** A redirect, where the route sends the browser on, or sends away whom it does not let in. */
function redirectResponse(route: AnyRoute): Record<string, Schema> {
  const visitorsGoOn = route.kind === 'page' && (route.access ?? []).length > 0;
  if (route.redirects === undefined && !visitorsGoOn) return {};
  const description = route.redirects
    ? 'Another address, to which the browser is sent on'
    : 'The login page, for visitors who may not see this one';
  const headers = { Location: { schema: { type: 'string', format: 'uri-reference' } } };
  return { 302: { description, headers } };
}

function contentOf(route: AnyRoute): Schema {
  if (route.kind === 'page') return { description: 'A page', content: { 'text/html': { schema: { type: 'string' } } } };
  const [type = '*/*'] = (route.contentType ?? '').split(';').filter(Boolean);
  return { description: 'A file', content: { [type]: {} } };
}

function goodResponses(route: AnyRoute): Record<string, Schema> {
  const replies = Object.entries(route.replies ?? {});
  if (replies.length === 0) {
    return { ...(route.redirects === 'always' ? {} : { 200: contentOf(route) }), ...redirectResponse(route) };
  }
  const responses: Record<string, Schema> = {};
  for (const [status, schema] of replies) {
    responses[status] = { description: 'JSON', content: { 'application/json': { schema: plainSchema(schema) } } };
  }
  return responses;
}

function operation(route: AnyRoute): Schema {
  const given = [...pathParameters(route), ...parameters('query', route.query)];
  return {
    summary: route.summary,
    ...security(route),
    ...(given.length > 0 ? { parameters: given } : {}),
    ...(route.body
      ? { requestBody: { required: true, content: { 'application/json': { schema: bodySchema(route) } } } }
      : {}),
    responses: {
      ...goodResponses(route),
      ...errorResponses(route),
      default: { $ref: '#/components/responses/Error' },
    },
  };
}

/** Puts lists of texts and numbers on one line where they fit, as the formatter does. */
function print(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(
    /^(.*)\[\n([^[\]{}]*?)\n *\](,?)$/gm,
    (whole, before, inside, comma) => {
      const line = `${before}[${String(inside).replace(/\n\s*/g, ' ').trim()}]${comma}`;
      return line.length <= 120 ? line : whole;
    },
  );
}

/** docs/openapi.json: the route table for programs, OpenAPI 3.1. */
export function openApiDocument(routes: readonly AnyRoute[], version: string): string {
  const paths: Record<string, Record<string, Schema>> = {};
  for (const route of inOrder(routes)) {
    const path = pathOf(route);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) };
  }
  const anyError = {
    description: `Any other refusal: ${commonErrors.join(', ')}`,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  };
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'authsvc',
      version,
      description: 'Authentication service: passwords, sessions and session checks. The words are in interface.md.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: 'http://localhost:3000' }],
    paths,
    components: { schemas: { Error: errorSchema }, responses: { Error: anyError }, securitySchemes },
  };
  return `${print(document)}\n`;
}
