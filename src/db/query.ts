import type { Compilable, CompiledQuery, Kysely } from 'kysely';
import type { DatabaseKind, Handle } from './handle.ts';
import { nameFailure } from './named-failure.ts';
import type { Schema } from './schema.ts';

/** A query with a name. `Row` is the type of its result rows. */
export interface Query<P, Row> {
  readonly name: string;
  all(handle: Handle, params: P): Promise<Row[]>;
  first(handle: Handle, params: P): Promise<Row | undefined>;
  /** Returns the number of changed rows. Callers use it to detect that a concurrent change was faster. */
  run(handle: Handle, params: P): Promise<number>;
}

/** Builds a query. `dialect` has the kind of database and kysely's `sql` tag, so that commands need not import kysely. */
type Build<P, Row> = (db: Kysely<Schema>, params: P, dialect: Pick<Handle, 'kind' | 'sql'>) => Compilable<Row>;
type Compile<P, Row> = (handle: Handle, params: P) => CompiledQuery<Row>;

/** Takes the place of a parameter while its query is compiled. */
class Placeholder {
  /** The property names that lead from the parameters to the value. */
  readonly path: readonly PropertyKey[];
  constructor(path: readonly PropertyKey[]) {
    this.path = path;
  }
}

/** Returns an object whose properties are placeholders of the same name. Properties of `known` keep their own value. */
function placeholders<P extends object>(path: readonly PropertyKey[] = [], known: object = {}): P {
  const target: P = Object.create(null);
  return new Proxy(target, { get: (_target, key) => Reflect.get(known, key) ?? new Placeholder([...path, key]) });
}

/** Replaces the placeholders in a compiled query by the values of the parameters. */
function bind<Row>(template: CompiledQuery<Row>, params: object): CompiledQuery<Row> {
  const valueAt = (path: readonly PropertyKey[]) =>
    path.reduce<unknown>((value, key) => Reflect.get(Object(value), key), params);
  const parameters = template.parameters.map((value) => (value instanceof Placeholder ? valueAt(value.path) : value));
  return { ...template, parameters };
}

const hasNul = (value: unknown): boolean => typeof value === 'string' && value.includes('\0');

/**
 * Replaces NUL characters in parameters. PostgreSQL refuses a text with NUL, and SQLite cuts the text off there, so a search
 * for `ada\0` would fail or find `ada`. The replacement character matches no stored text.
 */
function withoutNul<Row>(query: CompiledQuery<Row>): CompiledQuery<Row> {
  if (!query.parameters.some(hasNul)) return query;
  const parameters = query.parameters.map((value) =>
    hasNul(value) ? String(value).replaceAll('\0', '\uFFFD') : value,
  );
  return { ...query, parameters };
}

function toQuery<P extends object, Row>(name: string, compile: Compile<P, Row>): Query<P, Row> {
  const execute = (handle: Handle, params: P) => {
    const { observer } = handle;
    const query = withoutNul(compile(handle, params));
    if (!observer) return handle.execute(query);
    const observed = { name, sql: query.sql, values: query.parameters, params };
    return observer.watch(observed, () => handle.execute(query));
  };
  return {
    name,
    all: async (handle, params) => {
      try {
        return (await execute(handle, params)).rows;
      } catch (error) {
        throw nameFailure(error, name);
      }
    },
    first: async (handle, params) => {
      try {
        return (await execute(handle, params)).rows[0];
      } catch (error) {
        throw nameFailure(error, name);
      }
    },
    run: async (handle, params) => {
      try {
        return Number((await execute(handle, params)).numAffectedRows ?? 0);
      } catch (error) {
        throw nameFailure(error, name);
      }
    },
  };
}

/**
 * Defines a query whose SQL text is always the same. It is compiled once for each kind of database, and later calls only
 * bind new values. So `build` must not branch on a parameter or compute with it.
 */
export function defineQuery<P extends object, Row>(name: string, build: Build<P, Row>): Query<P, Row> {
  const templates: Partial<Record<DatabaseKind, CompiledQuery<Row>>> = {};
  return toQuery<P, Row>(name, (handle, params) => {
    const template = templates[handle.kind] ?? build(handle.kysely, placeholders<P>(), handle).compile();
    templates[handle.kind] = template;
    return bind(template, params);
  });
}

/** A query whose list has more entries than this is compiled again for each call. */
const MAX_LENGTHS = 100;

/**
 * Defines a query with a list whose SQL text depends only on the length of that list. It is compiled once for each kind of
 * database and each length. So `build` must not branch on other parameters, and it may read from a row only the properties
 * that become values.
 *
 * @param list name of the parameter with the list: values, or rows of values
 */
export function defineListQuery<K extends string, P extends Record<K, readonly unknown[]>, Row>(
  name: string,
  list: K,
  build: Build<P, Row>,
): Query<P, Row> {
  const templates = new Map<string, CompiledQuery<Row>>();
  return toQuery<P, Row>(name, (handle, params) => {
    const length = params[list].length;
    const key = `${handle.kind} ${length}`;
    const known = templates.get(key);
    if (known) return bind(known, params);
    const entries = params[list].map((entry, at) =>
      entry instanceof Object ? placeholders([list, at]) : new Placeholder([list, at]),
    );
    const template = build(handle.kysely, placeholders<P>([], { [list]: entries }), handle).compile();
    if (length <= MAX_LENGTHS) templates.set(key, template);
    return bind(template, params);
  });
}

/** Defines a query whose SQL text depends on its parameters, such as lists or optional fields. It is compiled on each call. */
export function defineDynamicQuery<P extends object, Row>(name: string, build: Build<P, Row>): Query<P, Row> {
  return toQuery<P, Row>(name, (handle, params) => build(handle.kysely, params, handle).compile());
}
