import { Kysely, PostgresDialect, sql } from 'kysely';
import { carefulPool } from './careful-pool.ts';
import type { Change, Changes } from './changes.ts';
import type { Database, Handle, QueryObserver } from './handle.ts';
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
  if (!changes) return kysely.transaction().execute((tx) => work({ kind, kysely: tx, observer }));
  const told: Change[] = [];
  const tell = (change: Change) => void told.push(change);
  try {
    return await kysely.transaction().execute((tx) => work({ kind, kysely: tx, observer, tell }));
  } finally {
    for (const change of told) changes.tell(change);
  }
}

function toDatabase(handle: Handle, extras: Pick<Database, 'pool' | 'announce' | 'connections'>): Database {
  const { kysely } = handle;
  return {
    ...handle,
    ...extras,
    transaction: (work) => transact(handle, work),
    ping: async () => {
      await sql`select 1`.execute(kysely);
    },
    close: () => kysely.destroy(),
  };
}

/**
 * Opens the database that `url` names: `sqlite:PATH` or `postgres://…`. Nothing is connected before the first query.
 */
export function openDatabase(url: string, { observe, changes, ...poolOptions }: OpenOptions): Database {
  const [, path] = /^sqlite:(.*)$/.exec(url) ?? [];
  if (path) {
    const dialect = sqliteDialect(path);
    const { connections } = dialect;
    const handle = { kysely: new Kysely<Schema>({ dialect }), observer: observe?.(connections) };
    return toDatabase({ kind: 'sqlite', ...handle }, { connections });
  }
  const servers = new Servers(url);
  const pool = openPool(servers, poolOptions);
  const connections = () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount });
  const kysely = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: carefulPool(pool, servers) }) });
  const announce = async (channel: string, word: string) => {
    await sql`select pg_notify(${channel}, ${word})`.execute(kysely);
  };
  const tell = changes && ((change: Change) => changes.tell(change));
  const handle = { kind: 'postgres' as const, kysely, observer: observe?.(connections), changes, tell };
  return toDatabase(handle, { pool, connections, announce });
}
