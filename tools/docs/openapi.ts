import { type SecurityScheme, securitySchemes } from '../../src/http/guard.ts';
import type { AnyRoute } from '../../src/http/route.ts';
import { guardsOf } from '../../src/http/route-errors.ts';
import { requireCsrf } from '../../src/sessions/guards.ts';
import { documentedField, isVague } from './documented-field.ts';
import { responsesOf, sharedComponents } from './openapi-responses.ts';
import { inOrder } from './routes.ts';
import { fieldsOf, plainSchema, type Schema } from './schema-words.ts';

type Requirement = Partial<Record<SecurityScheme, string[]>>;

/**
 * Returns the security requirements: one for each combination of credentials that the guards accept. Empty if no
 * credentials are needed.
 */
function security(route: AnyRoute): Requirement[] {
  let ways: Requirement[] = [];
  for (const { securitySchemes: accepted = [] } of guardsOf(route)) {
    const before = ways.length > 0 || accepted.length === 0 ? ways : [{}];
    ways = accepted.length > 0 ? before.flatMap((way) => accepted.map((scheme) => ({ ...way, [scheme]: [] }))) : before;
  }
  return ways;
}

/** Returns a path without the names of its parameters. */
const shapeOf = (path: string): string => path.replace(/:\w+/g, ':');

const namesIn = (path: string): string[] => [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);

type NamesAt = (route: AnyRoute) => string[];

/**
 * Returns a function that names the parameters of a route. If paths in the route table differ only in parameter names,
 * such as `{id}` and `{username}`, OpenAPI has one path for them, so they get the same names.
 */
function sharedNames(routes: readonly AnyRoute[]): NamesAt {
  const capital = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);
  return ({ path }) => {
    const alike = routes.filter((other) => shapeOf(other.path) === shapeOf(path)).map((other) => namesIn(other.path));
    return namesIn(path).map((_name, at) => {
      const [first = '', ...others] = new Set(alike.map((names) => names[at] ?? ''));
      return first + others.map((other) => `Or${capital(other)}`).join('');
    });
  };
}

function pathParameters(route: AnyRoute, names: string[]): Schema[] {
  const fields = fieldsOf(plainSchema(route.params));
  return namesIn(route.path).map((own, at) => {
    const field = fields.find(({ name }) => name === own)?.schema ?? { type: 'string' };
    const { description, ...schema } = documentedField(own, field);
    return { name: names[at], in: 'path', required: true, ...(description ? { description } : {}), schema };
  });
}

function queryParameters({ query }: AnyRoute): Schema[] {
  return fieldsOf(plainSchema(query)).map(({ name, isRequired, schema: field }) => {
    const { description, ...schema } = documentedField(name, field);
    return { name, in: 'query', required: isRequired, ...(description ? { description } : {}), schema };
  });
}

/**
 * Returns the schema of a body as callers see it: with the limits that the rule checks, and with a CSRF token if a guard
 * requires one.
 */
function bodySchema(route: AnyRoute, schema: unknown): Schema {
  const body = plainSchema(schema);
  const fields = fieldsOf(body);
  const asksForToken = guardsOf(route).includes(requireCsrf);
  const mustHave = (name: string, field: Schema) =>
    (isVague(field) && (name === 'session_id' || route.fieldErrors?.[name]?.missing !== undefined)) ||
    (name === '_csrf' && asksForToken);
  const required = fields
    .filter(({ name, isRequired, schema: field }) => isRequired || mustHave(name, field))
    .map(({ name }) => name);
  const properties = Object.fromEntries(fields.map(({ name, schema: field }) => [name, documentedField(name, field)]));
  return { ...body, ...(required.length > 0 ? { required } : {}), ...(fields.length > 0 ? { properties } : {}) };
}

const mediaTypes = { json: 'application/json', form: 'application/x-www-form-urlencoded' } as const;

function requestBody(route: AnyRoute): Schema {
  const { body } = route;
  if (!('schema' in body)) return {};
  const schema = bodySchema(route, body.schema);
  const required = 'required' in schema;
  return { requestBody: { required, content: { [mediaTypes[body.kind]]: { schema } } } };
}

function operation(route: AnyRoute, names: string[]): Schema {
  const given = [...pathParameters(route, names), ...queryParameters(route)];
  return {
    operationId: route.operationId,
    summary: route.summary,
    security: security(route),
    ...(given.length > 0 ? { parameters: given } : {}),
    ...requestBody(route),
    responses: responsesOf(route),
  };
}

/** Formats JSON with lists of texts and numbers on one line if they fit, as the formatter does. */
function print(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(
    /^(.*)\[\n([^[\]{}]*?)\n *\](,?)$/gm,
    (whole, before, inside, comma) => {
      const line = `${before}[${String(inside).replace(/\n\s*/g, ' ').trim()}]${comma}`;
      return line.length <= 120 ? line : whole;
    },
  );
}

/** Creates docs/openapi.json: the route table for programs, in OpenAPI 3.1. */
export function openApiDocument(routes: readonly AnyRoute[], version: string): string {
  const namesAt = sharedNames(routes);
  const paths: Record<string, Record<string, Schema>> = {};
  for (const route of inOrder(routes)) {
    const names = namesAt(route);
    const left = [...names];
    const path = shapeOf(route.path).replace(/:/g, () => `{${left.shift()}}`);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, names) };
  }
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'authsvc',
      version,
      description: 'Authentication service: passwords, sessions and session checks. See interface.md for explanations.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: 'http://localhost:3000' }],
    paths,
    components: { ...sharedComponents, securitySchemes },
  };
  return `${print(document)}\n`;
}
