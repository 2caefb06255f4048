import type { AnyRoute } from '../../src/http/route.ts';
import { fieldsOf, plainSchema, type Schema } from './schema-words.ts';
import {
  aliases,
  type Field,
  indent,
  isSchema,
  type Names,
  objectFields,
  objectType,
  parameters,
  writeField,
  writeObject,
} from './type-text.ts';

const PREFIX = '/authsvc/api/admin/';
/** A named type. `base` is the name of the type that it extends. */
interface Named {
  name: string;
  fields: Field[];
  base?: string;
}

const bodyFields = ({ body }: AnyRoute): Field[] =>
  'schema' in body ? objectFields(plainSchema(body.schema), new Map()).filter(({ name }) => name !== '_csrf') : [];

/** Returns the schema of the successful reply. Leaves out the field `success`, which the client checks itself. */
function replyOf({ replies }: AnyRoute): Schema | undefined {
  const [, reply] = Object.entries(replies).find(([status]) => status.startsWith('2')) ?? [];
  const schema = plainSchema(reply);
  if (!isSchema(schema.properties)) return undefined;
  const { success, ...properties } = schema.properties;
  return { ...schema, properties };
}

const capital = (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1);
const singular = (name: string): string => capital(name.replace(/ies$/, 'y').replace(/s$/, ''));

/** Returns the schema of a list's items; undefined if the route has another reply. */
function itemOf(route: AnyRoute): Schema | undefined {
  const { properties } = replyOf(route) ?? {};
  return isSchema(properties) && isSchema(properties.items) && isSchema(properties.items.items)
    ? properties.items.items
    : undefined;
}

/** Returns the name of a list's items, such as User for the operation listUsers. */
const itemName = ({ operationId }: AnyRoute): string => singular(operationId.replace(/^list/, ''));

/**
 * Returns the objects in a schema, each with the name of its field. The name is in the singular, because the field may
 * be an array.
 */
function objectsIn(schema: Schema): [name: string, schema: Schema][] {
  return fieldsOf(schema).flatMap(({ name, schema: field }) => {
    const object = isSchema(field.items) ? field.items : field;
    return isSchema(object.properties) ? [[singular(name), object], ...objectsIn(object)] : [];
  });
}

/** Creates a type that extends another one. Leaves out the fields that it inherits. */
function extend(name: string, fields: readonly Field[], base: Named): Named {
  const isInherited = ({ name, type }: Field) =>
    base.fields.some((field) => field.name === name && field.type === type);
  return { name, fields: fields.filter((field) => !isInherited(field)), base: base.name };
}

/**
 * Names the items of each list, and the objects that several replies have. If an object has the same name as an item
 * but more fields, it extends that item. An item extends the fields of a body if it has all those fields.
 */
function nameObjects(
  routes: readonly AnyRoute[],
  bodies: ReadonlyMap<string, Named>,
): { names: Names; objects: Named[] } {
  const textOf = (schema: Schema) => writeObject(objectFields(schema, new Map()));
  const names = new Map<string, string>();
  const found: [name: string, schema: Schema, base?: Schema][] = [];
  const items = routes.flatMap((route): [string, Schema][] => {
    const item = itemOf(route);
    return item ? [[itemName(route), item]] : [];
  });
  const others = routes.filter((route) => !itemOf(route)).flatMap((route) => objectsIn(replyOf(route) ?? {}));
  const isRepeated = (schema: Schema) => others.filter(([, other]) => textOf(other) === textOf(schema)).length > 1;
  for (const [name, schema] of [...items, ...others.filter(([, schema]) => isRepeated(schema))]) {
    if (names.has(textOf(schema))) continue;
    const base = items.find(([item]) => item === name)?.[1];
    const isItem = base === undefined || base === schema;
    names.set(textOf(schema), isItem ? name : `${name}Details`);
    found.push(isItem ? [name, schema] : [`${name}Details`, schema, base]);
  }
  const objects = found.map(([name, schema, base]) => {
    const fields = objectFields(schema, names);
    if (base) return extend(name, fields, { name: names.get(textOf(base)) ?? '', fields: objectFields(base, names) });
    const body = [...bodies.values()].find((shared) => shared.name === `${name}Fields`);
    const hasAll = body?.fields.every((field) =>
      fields.some((one) => one.name === field.name && one.type === field.type),
    );
    return body && hasAll ? extend(name, fields, { ...body, name: `Required<${body.name}>` }) : { name, fields };
  });
  return { names, objects };
}

const placeOf = ({ method, path }: AnyRoute): string => `${method} /${path.slice(PREFIX.length)}`;
const isPageField = ({ name }: Field): boolean => name === 'limit' || name === 'after';
const filterOf = ({ query }: AnyRoute): Field[] => parameters(query).filter((field) => !isPageField(field));

/** Names the parameters of the paths, such as Id. */
function nameParameters(routes: readonly AnyRoute[]): Named[] {
  const fields = routes.flatMap(({ params }) => parameters(params));
  return [
    ...new Map(fields.map((field) => [writeField(field), { name: capital(field.name), fields: [field] }])).values(),
  ];
}

/**
 * Names the filters of the lists that can also be downloaded as a file. The keys of the map are the texts of the types.
 */
function nameFilters(lists: readonly AnyRoute[], files: readonly AnyRoute[]): Map<string, Named> {
  const paths = new Set(files.map(({ path }) => path.replace(/\.\w+$/, '')));
  const filters = lists.filter(({ path }) => paths.has(path));
  return new Map(
    filters.map((list) => [writeObject(filterOf(list)), { name: `${itemName(list)}Filter`, fields: filterOf(list) }]),
  );
}

/**
 * Names the fields of a body that a new record and a change of the record have in common. The keys of the map are the
 * paths of the lists.
 */
function nameBodies(routes: readonly AnyRoute[]): Map<string, Named> {
  const at = (method: string, path: string) => routes.find((route) => route.method === method && route.path === path);
  return new Map(
    routes.filter(itemOf).flatMap((list): [string, Named][] => {
      const added = at('POST', list.path);
      const changed = routes.find(
        ({ method, path }) =>
          method === 'PATCH' && path.startsWith(`${list.path}/:`) && !path.includes('/', list.path.length + 1),
      );
      if (!added || !changed) return [];
      const isShared = ({ name, type }: Field) =>
        bodyFields(added).some((field) => field.name === name && field.type === type);
      const fields = bodyFields(changed).filter(isShared);
      return fields.length > 0 ? [[list.path, { name: `${itemName(list)}Fields`, fields }]] : [];
    }),
  );
}

/**
 * Writes the type of an input: named types, and the fields that are in none of them. Fields of the body are optional in
 * named types, so those that are required are repeated.
 */
function inputType(route: AnyRoute, filters: Map<string, Named>, bodies: Map<string, Named>): string {
  const filter = filters.get(writeObject(filterOf(route)));
  const shared = bodies.get(route.path) ?? bodies.get(route.path.replace(/\/:\w+$/, ''));
  const isPage = parameters(route.query).some(isPageField);
  const body = bodyFields(route);
  const isShared = ({ name }: Field) => shared?.fields.some((field) => field.name === name) ?? false;
  const required = body.filter((field) => isShared(field) && field.isRequired);
  const own = [
    ...(filter ? [] : filterOf(route)),
    ...body.filter((field) => !isShared(field)),
    ...required.map((field) => ({ ...field, comment: '' })),
  ];
  const named = [filter?.name, body.some(isShared) ? shared?.name : undefined, isPage ? 'Page' : undefined];
  const params = parameters(route.params).map(({ name }) => capital(name));
  const parts = [...params, own.length > 0 ? writeObject(own) : undefined, ...named].filter(Boolean);
  return parts.length > 0 ? parts.join(' & ') : '{}';
}

/** Returns the fields of a reply that is not a list. */
const replyFields = (route: AnyRoute, names: Names): Field[] => objectFields(replyOf(route) ?? {}, names);

/**
 * Names the replies that several operations have. The name is made from the first field. The keys of the map are the
 * texts of the types.
 */
function nameReplies(routes: readonly AnyRoute[], names: Names): Map<string, Named> {
  const all = routes.filter((route) => !itemOf(route)).map((route) => replyFields(route, names));
  const isRepeated = (fields: Field[]) => all.filter((other) => writeObject(other) === writeObject(fields)).length > 1;
  return new Map(
    all
      .filter(isRepeated)
      .map((fields) => [writeObject(fields), { name: `${capital(fields[0]?.name ?? '')}Reply`, fields }]),
  );
}

/** Removes the comments of a type that is written only once, in its operation. docs/interface.md describes such fields. */
const withoutComments = (type: string): string => type.replace(/^ *\/\*\*.*\n/gm, '');

function replyType(route: AnyRoute, names: Names, replies: Map<string, Named>): string {
  const item = itemOf(route);
  if (item) return `List<${objectType(item, names)}>`;
  const text = writeObject(replyFields(route, names));
  return replies.get(text)?.name ?? withoutComments(text);
}

const writeNamed = ({ name, fields, base }: Named): string =>
  `interface ${name} ${base ? `extends ${base} ` : ''}{\n${indent(fields.map(writeField).join('\n'))}\n}\n`;

/** Creates the TypeScript source with the operations of the console, for the client package. */
export function adminOperations(routes: readonly AnyRoute[]): string {
  const ours = routes.filter(({ path, kind }) => path.startsWith(PREFIX) && kind !== 'page');
  const operations = ours.filter(replyOf);
  const files = ours.filter((route) => !replyOf(route));
  const lists = operations.filter(itemOf);
  const filters = nameFilters(lists, files);
  const bodies = nameBodies(operations);
  const { names, objects } = nameObjects(operations, bodies);
  const replies = nameReplies(operations, names);
  const input = (route: AnyRoute) => inputType(route, filters, bodies);
  const page = { name: 'Page', fields: parameters(lists[0]?.query).filter(isPageField) };
  const records = [...objects, ...filters.values(), ...bodies.values()];
  const parts = [page, ...nameParameters(ours), ...replies.values()];
  const all = [...records, ...parts, ...Object.values(aliases)].map(({ name }) => name);
  if (new Set(all).size < all.length)
    throw new Error(`two types of the console's operations have the same name: ${all}`);
  const lines = [
    '// biome-ignore-all format lint: this file is generated.',
    '// Generated by `npm run docs` from the routes below /authsvc/api/admin.',
    '',
    '/** A value in a URL. */',
    'type Value = string | number | boolean;',
    ...Object.entries(aliases).map(([comment, { name, type }]) => `/** ${comment} */\ntype ${name} = ${type};`),
    '',
    '/** One page of a list. `next` is the value of `after` for the next page, or null on the last one. */',
    'export interface List<Item> {\n  items: Item[];\n  next: string | null;\n}\n',
    ...records.map((type) => `export ${writeNamed(type)}`),
    ...parts.map(writeNamed),
    '/** Input and reply of each operation. docs/interface.md has a section for each. */',
    'export interface AdminOperations {',
    ...operations.map((route) =>
      indent(`'${placeOf(route)}'(input: ${input(route)}): ${replyType(route, names, replies)};`),
    ),
    '}\n',
    '/** Input of each operation that replies with a file. */',
    'export interface AdminFiles {',
    ...files.map((route) => indent(`'${placeOf(route)}': ${input(route)};`)),
    '}',
  ];
  return `${lines.join('\n')}\n`;
}
