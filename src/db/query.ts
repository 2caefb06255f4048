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
  readonly key: PropertyKey;
  constructor(key: PropertyKey) {
    this.key = key;
  }
}

/** Stands for the parameters: each of its properties is a placeholder of that name. */
function placeholders<P extends object>(): P {
  const target: P = Object.create(null);
  return new Proxy(target, { get: (_target, key) => new Placeholder(key) });
}

function toQuery<P extends object, Row>(name: string, compile: Compile<P, Row>): Query<P, Row> {
  const execute = (handle: Handle, params: P) => {
    const { observer } = handle;
    const query = compile(handle, params);
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
    const parameters = template.parameters.map((value) =>
      value instanceof Placeholder ? Reflect.get(params, value.key) : value,
    );
    return { ...template, parameters };
  });
}

/** Defines a query whose text depends on its parameters: lists, optional fields. */
export function defineDynamicQuery<P extends object, Row>(name: string, build: Build<P, Row>): Query<P, Row> {
  return toQuery<P, Row>(name, (handle, params) => build(handle.kysely, params, handle).compile());
}
