import { Kysely, PostgresDialect, sql } from 'kysely';
import { carefulPool } from './careful-pool.ts';
import type { Database, Handle, QueryObserver } from './handle.ts';
import { placeOf } from './place.ts';
import { openPool, type PoolOptions } from './postgres.ts';
import type { Schema } from './schema.ts';
import { sqliteDialect } from './sqlite.ts';

interface OpenOptions extends PoolOptions {
  /** Makes who sees every named query; nobody does unless it is given. */
  observe?: ((connections: Database['connections']) => QueryObserver) | undefined;
}

function toDatabase(handle: Handle, extras: Pick<Database, 'place' | 'pool' | 'connections' | 'close'>): Database {
  const { kind, kysely, observer } = handle;
  return {
    ...handle,
    ...extras,
    transaction: (work) =>
      kysely
        .transaction()
        .execute((tx) => work({ kind, kysely: tx, execute: (query) => tx.executeQuery(query), observer })),
    ping: async () => {
      await sql`select 1`.execute(kysely);
    },
  };
}

/**
 * Opens the database that `url` names: `sqlite:PATH` or `postgres://…`. Nothing is connected before the first query.
 */
export function openDatabase(url: string, { observe, ...poolOptions }: OpenOptions): Database {
  const place = placeOf(url);
  if (place.file !== undefined) {
    const dialect = sqliteDialect(place.file);
    const { connections, execute } = dialect;
    const kysely = new Kysely<Schema>({ dialect });
    const close = async () => {
      await kysely.destroy();
      dialect.close();
    };
    const handle: Handle = { kind: 'sqlite', kysely, execute, observer: observe?.(connections) };
    return toDatabase(handle, { place, connections, close });
  }
  const pool = openPool(url, poolOptions);
  const connections = () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount });
  const kysely = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: carefulPool(pool) }) });
  const execute: Handle['execute'] = (query) => kysely.executeQuery(query);
  const handle: Handle = { kind: 'postgres', kysely, execute, observer: observe?.(connections) };
  return toDatabase(handle, { place, pool, connections, close: () => kysely.destroy() });
}
