import { setTimeout as sleep } from 'node:timers/promises';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { type Clock, steadyClock } from '../lib/clock.ts';
import { endOfTurn } from '../lib/end-of-turn.ts';
import { SeenChanges } from './changes.ts';
import type { ConnectionCounts, Handle } from './handle.ts';
import { BUSY_TIMEOUT_MS, CommitWatch, Connection, isBusy, type Read } from './sqlite-connection.ts';
import { WriteAheadLog } from './sqlite-log.ts';

const MAX_PAUSE_MS = 50;

type OnTrouble = (error: unknown, what: string) => void;

/** One connection, handed on in the order in which it was asked for. */
class SqliteDriver implements Driver {
  readonly #path: string;
  readonly #log: WriteAheadLog;
  readonly #waiting: (() => void)[] = [];
  #connection: Connection | undefined;
  #watch: CommitWatch | undefined;
  #isClosed = false;
  #isTaken = false;
  #reads: Read[] = [];

  constructor(path: string, onTrouble: OnTrouble) {
    this.#path = path;
    this.#log = new WriteAheadLog(`${path}-wal`, {
      rescue: () => this.#checkpoint(),
      onFailure: (error) => onTrouble(error, 'the disk did not take the log of the database'),
    });
  }

  counts(): ConnectionCounts {
    const total = this.#connection ? 1 : 0;
    return { total, idle: this.#isTaken ? 0 : total, waiting: this.#waiting.length };
  }

  /** The file is opened by the first query. */
  async init(): Promise<void> {}

  async #take(): Promise<void> {
    if (this.#isTaken) await new Promise<void>((take) => this.#waiting.push(take));
    this.#isTaken = true;
  }

  async acquireConnection(): Promise<Connection> {
    await this.#take();
    try {
      if (this.#isClosed) throw new Error('the database is closed');
      this.#connection ??= new Connection(this.#path);
      return this.#connection;
    } catch (error) {
      this.#release();
      throw error;
    }
  }

  #release(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#isTaken = false;
  }

  /** What was written is on the disk when this is done; others have the connection meanwhile. */
  async releaseConnection(connection: Connection): Promise<void> {
    const hasWritten = connection.takeHasWritten();
    this.#release();
    if (hasWritten) await this.#log.toDisk();
  }

  async #checkpoint(): Promise<void> {
    const connection = await this.acquireConnection();
    try {
      connection.checkpoint();
    } finally {
      this.#release();
    }
  }

  /**
   * Runs a query outside of transactions. Reads that are asked for in the same turn of the event loop run together at
   * its end, so that each of them sees everything that was committed before it was asked for.
   */
  async execute<R>(query: CompiledQuery<R>): Promise<QueryResult<R>> {
    if (query.query.kind === 'SelectQueryNode') return this.#enqueueRead(query);
    const connection = await this.acquireConnection();
    try {
      return await this.#runPatiently<R>(connection, query);
    } finally {
      await this.releaseConnection(connection);
    }
  }

  /**
   * Runs a statement that writes or begins to, outside of transactions, and again while another process writes.
   *
   * Needs   the connection to be taken; lends it to others between two attempts.
   * Why     the wait of SQLite itself would stop the whole process, and all who only read with it.
   */
  async #runPatiently<R>(connection: Connection, query: CompiledQuery): Promise<QueryResult<R>> {
    const end = steadyClock.now() + BUSY_TIMEOUT_MS;
    for (let pause = 1; ; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
      try {
        return connection.runUnlessBusy<R>(query);
      } catch (error) {
        if (!isBusy(error) || steadyClock.now() >= end) throw error;
      }
      this.#release();
      await sleep(pause);
      await this.#take();
    }
  }

  #enqueueRead<R>(query: CompiledQuery<R>): Promise<QueryResult<R>> {
    return new Promise((done, fail) => {
      if (this.#reads.length === 0) void endOfTurn().then(() => this.#runReads());
      const run = (connection: Connection) => {
        try {
          done(connection.run<R>(query));
        } catch (error) {
          fail(error);
        }
      };
      this.#reads.push({ run, fail });
    });
  }

  async #runReads(): Promise<void> {
    const reads = this.#reads;
    this.#reads = [];
    try {
      const connection = await this.acquireConnection();
      try {
        connection.runTogether(reads);
      } finally {
        this.#release();
      }
    } catch (error) {
      for (const read of reads) read.fail(error);
    }
  }

  /** Immediate, not deferred: a transaction that reads first and writes then would meet "database is locked". */
  async beginTransaction(connection: Connection): Promise<void> {
    await this.#runPatiently(connection, CompiledQuery.raw('begin immediate'));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'));
  }

  async rollbackTransaction(connection: Connection): Promise<void> {
    connection.rollback();
  }

  /** See `CommitWatch`. */
  version(): number {
    if (this.#isClosed) throw new Error('the database is closed');
    this.#watch ??= new CommitWatch(this.#path);
    return this.#watch.version();
  }

  async destroy(): Promise<void> {
    this.#isClosed = true;
    await this.#log.close();
    this.#watch?.close();
    this.#watch = undefined;
    this.#connection?.close();
    this.#connection = undefined;
  }
}

/** Runs all migrations in one immediate transaction, which is their lock. */
class LockingSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** The embedded database at `path`, made with its folder when it is not there. */
export function sqliteDialect(path: string, onTrouble: OnTrouble) {
  const driver = new SqliteDriver(path, onTrouble);
  const execute: Handle['execute'] = (query) => driver.execute(query);
  return {
    execute,
    close: () => driver.destroy(),
    connections: () => driver.counts(),
    changes: (steady: Clock) => new SeenChanges(() => driver.version(), steady),
    createDriver: () => driver,
    createAdapter: () => new LockingSqliteAdapter(),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  } satisfies Dialect & Record<string, unknown>;
}
