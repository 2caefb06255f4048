import type { Compilable, CompiledQuery, Kysely } from 'kysely';
import type { DatabaseKind, Handle } from './handle.ts';
import { nameFailure } from './named-failure.ts';
import type { Schema } from './schema.ts';

/** A query with its name; `Row` is the type of a row of its result. */
export interface Query<P, Row> {
  readonly name: string;
  all(handle: Handle, params: P): Promise<Row[]>;
  first(handle: Handle, params: P): Promise<Row | undefined>;
  /** The number of changed rows, which decides every race. */
  run(handle: Handle, params: P): Promise<number>;
}

/** The third argument: the database that runs the query, and kysely's tag, which a command does not load in vain. */
type Build<P, Row> = (db: Kysely<Schema>, params: P, dialect: Pick<Handle, 'kind' | 'sql'>) => Compilable<Row>;
type Compile<P, Row> = (handle: Handle, params: P) => CompiledQuery<Row>;

/** Stands for a parameter while its query is compiled. */
class Placeholder {
  /** The way to the value from the parameters. */
  readonly path: readonly PropertyKey[];
  constructor(path: readonly PropertyKey[]) {
    this.path = path;
  }
}

/** Stands for the parameters: each of its properties is a placeholder of that name, unless it is among `known`. */
function placeholders<P extends object>(path: readonly PropertyKey[] = [], known: object = {}): P {
  const target: P = Object.create(null);
  return new Proxy(target, { get: (_target, key) => Reflect.get(known, key) ?? new Placeholder([...path, key]) });
}

/** The query of a template, with the values of these parameters. */
function bind<Row>(template: CompiledQuery<Row>, params: object): CompiledQuery<Row> {
  const valueAt = (path: readonly PropertyKey[]) =>
    path.reduce<unknown>((value, key) => Reflect.get(Object(value), key), params);
  const parameters = template.parameters.map((value) => (value instanceof Placeholder ? valueAt(value.path) : value));
  return { ...template, parameters };
}

const hasNul = (value: unknown): boolean => typeof value === 'string' && value.includes('\0');

/**
 * PostgreSQL refuses a text with a NUL, and SQLite cuts it off there, so a search for `ada\0` would fail or find `ada`. A
 * replacement character finds nothing.
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
 * Defines a query that always has the same text. It is compiled once for each kind of database, and later calls only
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

/** How many lengths of a list a query is kept for. */
const MAX_LENGTHS = 100;

/**
 * Defines a query over a list, whose text depends only on the length of the list. It is compiled once for each kind of
 * database and length. So `build` must not branch on another parameter, and reads from a row only what it names.
 *
 * @param list the parameter that is the list: values, or rows of values
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

/** Defines a query whose text depends on its parameters: lists, optional fields. */
export function defineDynamicQuery<P extends object, Row>(name: string, build: Build<P, Row>): Query<P, Row> {
  return toQuery<P, Row>(name, (handle, params) => build(handle.kysely, params, handle).compile());
}
