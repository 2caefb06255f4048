import { Kysely, PostgresDialect, sql } from 'kysely';
import { steadyClock } from '../lib/clock.ts';
import { type Change, Changes, type Clocks, FedChanges } from './changes.ts';
import type { Database, EventSink, Handle, QueryObserver, Transaction } from './handle.ts';
import { placeOf } from './place.ts';
import type { PoolOptions } from './postgres.ts';
import type { Schema } from './schema.ts';

interface OpenOptions extends PoolOptions {
  /** The option of a command that contains the URL, for messages. If undefined, it is the setting DATABASE_URL. */
  givenBy?: string | undefined;
  /** Creates the observer of all named queries. If undefined, queries are not observed. */
  observe?: ((connections: Database['connections']) => QueryObserver) | undefined;
  /** If given, lookups may cache answers while every change is known, as measured by these clocks. */
  keep?: Clocks | undefined;
  /** Receives the events that transactions record. */
  events?: EventSink | undefined;
  /** Opens an SQLite file for reading only. The file is neither created nor changed. */
  isReadOnly?: boolean | undefined;
  /** With `isReadOnly`: creates no files next to the database file either. For short reads. */
  leavesNoFiles?: boolean | undefined;
}

/** The handle on which a transaction is started. */
type Origin = Handle & Pick<Database, 'changes'>;

/**
 * Runs a transaction. Reports its changes after it has ended, because no other connection can see them earlier. Sets the
 * isolation level read committed, whatever the default of the database is: guarded updates depend on statements that see
 * what others have committed.
 */
async function transact<T>(
  { kind, kysely, observer, changes, tell: tellNow, events }: Origin,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const told: Change[] = [];
  const tell = tellNow && ((change: Change) => void told.push(change));
  const committed: (() => void)[] = [];
  const afterCommit = (then: () => void) => void committed.push(then);
  const result = await kysely
    .transaction()
    .setIsolationLevel('read committed')
    .execute((tx) =>
      work({ kind, kysely: tx, sql, execute: (query) => tx.executeQuery(query), observer, tell, events, afterCommit }),
    )
    .finally(() => {
      for (const change of told) changes.tell(change);
    });
  for (const then of committed) then();
  return result;
}

type Extras = Pick<Database, 'unsynced' | 'place' | 'pool' | 'announce' | 'connections' | 'ping' | 'close'>;

const toDatabase = (origin: Origin, extras: Extras): Database => ({
  ...origin,
  ...extras,
  transaction: (work) => transact(origin, work),
});

/**
 * Opens the database at `url`: `sqlite:PATH` or `postgres://…`. Loads only the driver for that kind of database. The first
 * query connects.
 */
export async function openDatabase(url: string, options: OpenOptions): Promise<Database> {
  const { observe, keep, events, ...poolOptions } = options;
  const place = placeOf(url, options.givenBy);
  if (place.file !== undefined) {
    const { sqliteDialect } = await import('./sqlite.ts');
    const dialect = sqliteDialect(place.file, options);
    const { connections, execute, executeUnsynced, ping } = dialect;
    const kysely = new Kysely<Schema>({ dialect });
    const close = async () => {
      await kysely.destroy();
      await dialect.close();
    };
    const changes = keep ? dialect.follow(keep.steady) : new Changes(steadyClock);
    const origin: Origin = { kind: 'sqlite', kysely, sql, execute, observer: observe?.(connections), changes, events };
    const unsynced = { ...origin, execute: executeUnsynced };
    return toDatabase(origin, { unsynced, place, connections, ping, close });
  }
  const [{ openPool, Servers }, { carefulPool }] = await Promise.all([
    import('./postgres.ts'),
    import('./careful-pool.ts'),
  ]);
  const servers = new Servers(url);
  const pool = openPool(servers, poolOptions);
  const connections = () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount });
  const kysely = new Kysely<Schema>({
    dialect: new PostgresDialect({ pool: carefulPool(pool, servers, options.onTrouble) }),
  });
  const announce = async (channel: string, word: string) => {
    await sql`select pg_notify(${channel}, ${word})`.execute(kysely);
  };
  const ping = async () => {
    await sql`select 1`.execute(kysely);
  };
  const execute: Handle['execute'] = (query) => kysely.executeQuery(query);
  const changes = keep ? new FedChanges(keep) : new Changes(steadyClock);
  const tell = (change: Change) => changes.tell(change);
  const origin: Origin = {
    kind: 'postgres',
    kysely,
    sql,
    execute,
    observer: observe?.(connections),
    changes,
    tell,
    events,
  };
  const close = () => kysely.destroy();
  return toDatabase(origin, { unsynced: origin, place, pool, announce, connections, ping, close });
}
