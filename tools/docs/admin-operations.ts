import type { ErrorName } from '../../src/errors/registry.ts';
import type { AnyRoute } from '../../src/http/route.ts';
import { commonErrors, errorsOf } from '../../src/http/route-errors.ts';
import { fieldsOf, plainSchema, type Schema } from './schema-words.ts';

const PREFIX = '/authsvc/api/admin/';

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const named = (name: string): string => (/^\w+$/.test(name) ? name : JSON.stringify(name));

function typeOfKind(kind: unknown, schema: Schema): string {
  switch (kind) {
    case 'string':
    case 'boolean':
    case 'null':
      return kind;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return `Array<${typeOf(isSchema(schema.items) ? schema.items : {})}>`;
    case 'object':
      return isSchema(schema.properties) ? objectType(schema) : 'Record<string, unknown>';
    default:
      return 'unknown';
  }
}

/** Converts a JSON Schema to a TypeScript type. */
function typeOf(schema: Schema): string {
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const choices = listOf(schema.anyOf).filter(isSchema);
  if (choices.length > 0) return choices.map(typeOf).join(' | ');
  const kinds = Array.isArray(schema.type) ? schema.type : [schema.type];
  return kinds.map((kind) => typeOfKind(kind, schema)).join(' | ');
}

const comment = ({ description }: Schema): string =>
  typeof description === 'string' ? `/** ${description.replaceAll('*/', '* /')} */ ` : '';

function objectType(schema: Schema): string {
  const fields = fieldsOf(schema).map(
    ({ name, isRequired, schema: field }) =>
      `${comment(field)}${named(name)}${isRequired ? '' : '?'}: ${typeOf(field)};`,
  );
  return `{ ${fields.join(' ')} }`;
}

/**
 * Returns the TypeScript type of a parameter in a URL. Numbers and booleans are allowed too, because each has only one
 * spelling.
 */
const inAddress = (schema: Schema): string => {
  const isText = schema.type === 'string' && !Array.isArray(schema.enum);
  return isText ? 'string | number | boolean' : typeOf(schema).replace('Array<unknown>', 'Array<string>');
};

const addressFields = (schema: unknown): string[] =>
  fieldsOf(plainSchema(schema)).map(
    ({ name, isRequired, schema: field }) =>
      `${comment(field)}${named(name)}${isRequired ? '' : '?'}: ${inAddress(field)};`,
  );

function inputOf({ params, query, body }: AnyRoute): string {
  const ofBody = 'schema' in body ? fieldsOf(plainSchema(body.schema)).filter(({ name }) => name !== '_csrf') : [];
  const fields = ofBody.map(
    ({ name, isRequired, schema }) => `${comment(schema)}${named(name)}${isRequired ? '' : '?'}: ${typeOf(schema)};`,
  );
  return `{ ${[...addressFields(params), ...addressFields(query), ...fields].join(' ')} }`;
}

const replySchema = ({ replies }: AnyRoute): unknown =>
  Object.entries(replies).find(([status]) => status.startsWith('2'))?.[1];

function replyOf(route: AnyRoute): string | undefined {
  const schema = plainSchema(replySchema(route));
  return isSchema(schema.properties) ? objectType(schema) : undefined;
}

/** Returns the types of the objects in a schema, each with the name of its field. For the items of a list, in the singular. */
function objectsIn(schema: Schema): [type: string, name: string][] {
  return fieldsOf(schema).flatMap(({ name, schema: field }) => {
    const [object, one] = isSchema(field.items) ? [field.items, name.replace(/s$/, '')] : [field, name];
    return isSchema(object.properties) ? [[objectType(object), one], ...objectsIn(object)] : [];
  });
}

const capital = (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1);

/** Names the objects that several replies have under one name, such as `user`. Returns each type with its name. */
function sharedTypes(routes: readonly AnyRoute[]): Map<string, string> {
  const objects = routes.flatMap((route) => objectsIn(plainSchema(replySchema(route))));
  const named = objects.filter(([, name]) => name !== 'item');
  const isRepeated = (type: string) => objects.filter(([other]) => other === type).length > 1;
  const isOnlyOne = ([type, name]: [string, string]) => named.every(([other, it]) => it !== name || other === type);
  return new Map(
    named.filter((object) => isRepeated(object[0]) && isOnlyOne(object)).map(([type, name]) => [type, capital(name)]),
  );
}

const entry = (route: AnyRoute): string =>
  `  ${route.operationId}: ['${route.method}', '${route.path.replace(/:(\w+)/g, '{$1}')}'],`;

/** Creates the TypeScript source with the operations of the console, for the client package. */
export function adminOperations(routes: readonly AnyRoute[]): string {
  const ours = routes.filter(({ path, kind }) => path.startsWith(PREFIX) && kind !== 'page');
  const operations = ours.filter((route) => replyOf(route) !== undefined);
  const files = ours.filter((route) => replyOf(route) === undefined);
  const errors = [...new Set<ErrorName>([...ours.flatMap(errorsOf), ...commonErrors])].sort();
  const shared = sharedTypes(operations);
  const shorten = (text: string, but?: string) =>
    [...shared].reduce((short, [type, name]) => (type === but ? short : short.replaceAll(type, name)), text);
  const lines = [
    '// biome-ignore-all format lint: this file is generated.',
    '// Generated by `npm run docs` from the routes below /authsvc/api/admin.',
    '',
    ...[...shared].flatMap(([type, name]) => [`interface ${name} ${shorten(type, type)}`, '']),
    '/** Input and reply of each operation, by operation name. */',
    'export interface AdminOperations {',
    ...operations.flatMap((route) => [
      `  /** ${route.summary}. */`,
      `  ${route.operationId}: { input: ${inputOf(route)}; reply: ${shorten(replyOf(route) ?? '')} };`,
    ]),
    '}',
    '',
    '/** Input of each operation that replies with a file, by operation name. */',
    'export interface AdminFiles {',
    ...files.flatMap((route) => [`  /** ${route.summary}. */`, `  ${route.operationId}: ${inputOf(route)};`]),
    '}',
    '',
    "type Place = readonly [method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string];",
    '',
    '/** HTTP method and path of each operation. */',
    'export const adminOperations: Record<keyof AdminOperations, Place> = {',
    ...operations.map(entry),
    '};',
    '',
    '/** HTTP method and path of each operation that replies with a file. */',
    'export const adminFiles: Record<keyof AdminFiles, Place> = {',
    ...files.map(entry),
    '};',
    '',
    'const codes = [',
    ...errors.map((name) => `  '${name}',`),
    '] as const;',
    '',
    '/** Error codes in replies of these operations. */',
    'export type AdminErrorCode = (typeof codes)[number];',
    '',
    '/** Returns whether this version of the client knows an error code. */',
    'export const isAdminErrorCode = (text: unknown): text is AdminErrorCode => codes.some((code) => code === text);',
  ];
  return `${lines.join('\n')}\n`;
}
