import { Kysely, PostgresDialect, sql } from 'kysely';
import type { Database, Handle } from './handle.ts';
import { openPool, type PoolOptions } from './postgres.ts';
import type { Schema } from './schema.ts';
import { sqliteDialect } from './sqlite.ts';

function toDatabase(handle: Handle, extras: Pick<Database, 'pool'> = {}): Database {
  const { kind, kysely } = handle;
  return {
    ...handle,
    ...extras,
    transaction: (work) => kysely.transaction().execute((tx) => work({ kind, kysely: tx })),
    ping: async () => {
      await sql`select 1`.execute(kysely);
    },
    close: () => kysely.destroy(),
  };
}

/**
 * Opens the database that `url` names: `sqlite:PATH` or `postgres://…`. Nothing is connected before the first query.
 */
export function openDatabase(url: string, options: PoolOptions): Database {
  const [, path] = /^sqlite:(.*)$/.exec(url) ?? [];
  if (path) return toDatabase({ kind: 'sqlite', kysely: new Kysely<Schema>({ dialect: sqliteDialect(path) }) });
  const pool = openPool(url, options);
  const kysely = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  return toDatabase({ kind: 'postgres', kysely }, { pool });
}
