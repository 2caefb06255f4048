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

/** A JSON Schema as a type of TypeScript. */
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

/** A text of an address: numbers and booleans have one spelling. */
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

function replyOf({ replies }: AnyRoute): string | undefined {
  const [, reply] = Object.entries(replies).find(([status]) => status.startsWith('2')) ?? [];
  const schema = plainSchema(reply);
  return isSchema(schema.properties) ? objectType(schema) : undefined;
}

const entry = (route: AnyRoute): string =>
  `  ${route.operationId}: ['${route.method}', '${route.path.replace(/:(\w+)/g, '{$1}')}'],`;

/** The operations of the console for the client package, as TypeScript. */
export function adminOperations(routes: readonly AnyRoute[]): string {
  const ours = routes.filter(({ path, kind }) => path.startsWith(PREFIX) && kind !== 'page');
  const operations = ours.filter((route) => replyOf(route) !== undefined);
  const files = ours.filter((route) => replyOf(route) === undefined);
  const errors = [...new Set<ErrorName>([...ours.flatMap(errorsOf), ...commonErrors])].sort();
  const lines = [
    '// biome-ignore-all format lint: written by a program.',
    '// Written by `npm run docs` from the routes below /authsvc/api/admin.',
    '',
    '/** What each operation takes and answers. */',
    'export interface AdminOperations {',
    ...operations.flatMap((route) => [
      `  /** ${route.summary}. */`,
      `  ${route.operationId}: { input: ${inputOf(route)}; reply: ${replyOf(route)} };`,
    ]),
    '}',
    '',
    '/** What the operations take that answer with a file. */',
    'export interface AdminFiles {',
    ...files.flatMap((route) => [`  /** ${route.summary}. */`, `  ${route.operationId}: ${inputOf(route)};`]),
    '}',
    '',
    "type Place = readonly [method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string];",
    '',
    '/** The method and the path of each operation. */',
    'export const adminOperations: Record<keyof AdminOperations, Place> = {',
    ...operations.map(entry),
    '};',
    '',
    'export const adminFiles: Record<keyof AdminFiles, Place> = {',
    ...files.map(entry),
    '};',
    '',
    'const codes = [',
    ...errors.map((name) => `  '${name}',`),
    '] as const;',
    '',
    '/** Why the service refuses an operation. */',
    'export type AdminErrorCode = (typeof codes)[number];',
    '',
    '/** Whether this version of the client knows the name of a refusal. */',
    'export const isAdminErrorCode = (text: unknown): text is AdminErrorCode => codes.some((code) => code === text);',
  ];
  return `${lines.join('\n')}\n`;
}
