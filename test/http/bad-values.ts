import type { TSchema } from 'typebox';
import type { AnyRoute } from '../../src/http/route.ts';

/** One field of a body: its name, whether it is required, and which values are valid. */
export interface Field {
  name: string;
  isRequired: boolean;
  isText: boolean;
  isInteger: boolean;
  isList: boolean;
  maxLength: number;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Reads the fields of an object from its schema. */
export function fieldsOf(object: TSchema): Field[] {
  const schema: Record<string, unknown> = { ...object };
  const required = Array.isArray(schema.required) ? schema.required : [];
  const properties = isObject(schema.properties) ? schema.properties : {};
  return Object.entries(properties).map(([name, property]) => {
    const { type, maxLength } = isObject(property) ? property : {};
    return {
      name,
      isRequired: required.includes(name),
      isText: type === 'string',
      isInteger: type === 'integer',
      isList: type === 'array',
      maxLength: typeof maxLength === 'number' ? maxLength : Number.POSITIVE_INFINITY,
    };
  });
}

/** Returns the fields of a route's body; empty if the route takes no body. */
export const bodyFieldsOf = ({ body }: AnyRoute): Field[] => ('schema' in body ? fieldsOf(body.schema) : []);

/** Returns a body with a value for every required field. The values are well-formed but match nothing that exists. */
export const plausibleBody = (fields: Field[]): Record<string, unknown> =>
  Object.fromEntries(fields.filter((field) => field.isRequired).map((field) => [field.name, plausibleValue(field)]));

function plausibleValue({ name, isInteger, isList }: Field): unknown {
  if (isInteger) return 2_000_000_000;
  return isList ? [`plausible-${name}`] : `plausible-${name}`;
}

/** JSON texts whose value is not a string. */
export const notText = [
  '5',
  '-1',
  '1e400',
  'true',
  'false',
  '[]',
  '["x"]',
  '{}',
  '{"$gt":""}',
  '{"length":9}',
  '1e-7',
  '0',
];

const deep = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth);

/** JSON texts with unusual strings, and with deeply nested values. */
export const oddText = [
  '""',
  '" "',
  '"\\u0000"',
  '"a\\u0000b"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\u200b\\u202e"',
  '"\\r\\nSet-Cookie: x=1"',
  '"__proto__"',
  '"constructor"',
  '"\' OR 1=1 --"',
  '"%00%E0%A4%A"',
  '"<i id=xss>"',
  '"$1 $& %s %n"',
  `"${'x'.repeat(4096)}"`,
  `"${'x'.repeat(60_000)}"`,
  `"${'\\u0000'.repeat(300)}"`,
  `"${'🐎'.repeat(3000)}"`,
  `"a${'\u0315'.repeat(15_000)}${'\u0334'.repeat(15_000)}"`,
  deep('[', ']', 10_000),
  deep('{"x":', '}', 5000).replace('}', '1}'),
];

/** Whole bodies that are not a JSON object, each with its description. */
export const brokenBodies: [string, string][] = [
  ['nothing', ''],
  ['a blank', ' '],
  ['half an object', '{'],
  ['half a member', '{"username":'],
  ['a comma too many', '{"username":"a",}'],
  ['no quotes', '{username:"a"}'],
  ['no JSON', 'nonsense'],
  ['a byte order mark alone', '\uFEFF'],
  ['a list', '[]'],
  ['a list of objects', '[{}]'],
  ['text', '"text"'],
  ['a number', '5'],
  ['true', 'true'],
  ['null', 'null'],
  ['two values', '{}{}'],
  ['a NUL', '\0'],
  ['an endless list', '['.repeat(60_000)],
];

export const otherTypes = [
  'text/plain',
  'text/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/xml',
  'application/octet-stream',
  'application/jsonp',
  'application/json-patch+json',
  'nonsense',
  ';',
];

/** Unusual values of path parameters and queries, as they are written in a URL. */
export const oddInAddress = [
  '%00',
  'a%00b',
  '%ED%A0%80',
  '%FF',
  '%E0%A4%A',
  '%',
  '%zz',
  '__proto__',
  'constructor',
  '..%2F..%2Fetc%2Fpasswd',
  '..%5C..',
  '%3Ci%20id%3Dxss%3E',
  "'%20OR%201=1--",
  '-1',
  '0',
  '1e3',
  '99999999999999999999',
  '9007199254740993',
  'NaN',
  '%20',
  'x'.repeat(4000),
  '%F0%9F%90%8E'.repeat(300),
];

/** Returns the path of a route with this value for each of its parameters. */
export const addressWith = ({ path }: AnyRoute, value: string): string => path.replace(/:\w+/g, value);
