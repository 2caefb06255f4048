import { Kysely, PostgresDialect, sql } from 'kysely';
import { carefulPool } from './careful-pool.ts';
import type { Change, Changes } from './changes.ts';
import type { Database, Handle, QueryObserver } from './handle.ts';
import { placeOf } from './place.ts';
import { openPool, type PoolOptions, Servers } from './postgres.ts';
import type { Schema } from './schema.ts';
import { sqliteDialect } from './sqlite.ts';

interface OpenOptions extends PoolOptions {
  /** Makes who sees every named query; nobody does unless it is given. */
  observe?: ((connections: Database['connections']) => QueryObserver) | undefined;
  /** Lets lookups on PostgreSQL keep their answers while these are known. */
  changes?: Changes | undefined;
}

/** Runs a transaction; what it changed is told when it has ended, for nobody sees it before. */
async function transact<T>({ kind, kysely, observer, changes }: Handle, work: (tx: Handle) => Promise<T>): Promise<T> {
  const told: Change[] = [];
  const tell = changes && ((change: Change) => void told.push(change));
  try {
    return await kysely
      .transaction()
      .execute((tx) => work({ kind, kysely: tx, execute: (query) => tx.executeQuery(query), observer, tell }));
  } finally {
    for (const change of told) changes?.tell(change);
  }
}

type Extras = Pick<Database, 'place' | 'pool' | 'announce' | 'connections' | 'close'>;

function toDatabase(handle: Handle, extras: Extras): Database {
  const { kysely } = handle;
  return {
    ...handle,
    ...extras,
    transaction: (work) => transact(handle, work),
    ping: async () => {
      await sql`select 1`.execute(kysely);
    },
  };
}

/**
 * Opens the database that `url` names: `sqlite:PATH` or `postgres://…`. Nothing is connected before the first query.
 */
export function openDatabase(url: string, { observe, changes, ...poolOptions }: OpenOptions): Database {
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
  const servers = new Servers(url);
  const pool = openPool(servers, poolOptions);
  const connections = () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount });
  const kysely = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: carefulPool(pool, servers) }) });
  const announce = async (channel: string, word: string) => {
    await sql`select pg_notify(${channel}, ${word})`.execute(kysely);
  };
  const execute: Handle['execute'] = (query) => kysely.executeQuery(query);
  const tell = changes && ((change: Change) => changes.tell(change));
  const handle: Handle = { kind: 'postgres', kysely, execute, observer: observe?.(connections), changes, tell };
  return toDatabase(handle, { place, pool, announce, connections, close: () => kysely.destroy() });
}
