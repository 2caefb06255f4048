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
  type TransactionSettings,
} from 'kysely';
import { type Clock, steadyClock } from '../lib/clock.ts';
import { endOfTurn } from '../lib/end-of-turn.ts';
import { type Change, SeenChanges } from './changes.ts';
import type { ConnectionCounts, Handle } from './handle.ts';
import { markOutage } from './outage.ts';
import { BUSY_TIMEOUT_MS, Connection, isBusy, type Read } from './sqlite-connection.ts';
import { WriteAheadLog } from './sqlite-log.ts';

const MAX_PAUSE_MS = 50;

interface SqliteOptions {
  onTrouble(error: unknown, what: string): void;
  /** Opens the file for reading only. The file is neither created nor changed. */
  isReadOnly?: boolean | undefined;
  /** With `isReadOnly`: creates no files next to the database file either. For short reads. */
  leavesNoFiles?: boolean | undefined;
}

/** Lends the only connection to callers, in the order in which they asked for it. */
class SqliteDriver implements Driver {
  readonly #path: string;
  readonly #log: WriteAheadLog;
  readonly #waiting: (() => void)[] = [];
  #connection: Connection | undefined;
  #isClosed = false;
  #isTaken = false;
  #reads: Read[] = [];
  #onChange: ((change: Change) => void) | undefined;
  readonly #access: { isReadOnly: boolean; leavesNoFiles: boolean | undefined };

  constructor(path: string, { onTrouble, isReadOnly = false, leavesNoFiles }: SqliteOptions) {
    this.#path = path;
    this.#access = { isReadOnly, leavesNoFiles };
    this.#log = new WriteAheadLog(`${path}-wal`, {
      rescue: () => this.#checkpoint(),
      onFailure: (error) => onTrouble(error, 'failed to sync the write-ahead log of the database to the disk'),
    });
  }

  counts(): ConnectionCounts {
    const total = this.#connection ? 1 : 0;
    return { total, idle: this.#isTaken ? 0 : total, waiting: this.#waiting.length };
  }

  /** Does nothing. The first query opens the file. */
  async init(): Promise<void> {}

  async #take(): Promise<void> {
    if (this.#isTaken) await new Promise<void>((take) => this.#waiting.push(take));
    this.#isTaken = true;
  }

  #open(): Connection {
    if (this.#isClosed) throw new Error('the database is closed');
    this.#connection ??= new Connection(this.#path, { ...this.#access, onChange: this.#onChange });
    return this.#connection;
  }

  async acquireConnection(): Promise<Connection> {
    await this.#take();
    try {
      return this.#open();
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

  /** Releases the connection at once, so that others can use it. Resolves when the written data is on the disk. */
  async releaseConnection(connection: Connection): Promise<void> {
    const hasWritten = connection.takeHasWritten();
    this.#release();
    if (!hasWritten) return;
    try {
      await this.#log.toDisk();
    } catch (error) {
      markOutage(error);
      throw error;
    }
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
   * Runs a query outside of transactions. Reads that are requested in one turn of the event loop run together at the end of
   * that turn. So each read sees everything that was committed before it was requested.
   */
  async execute<R>(query: CompiledQuery<R>): Promise<QueryResult<R>> {
    return this.#execute(query, (connection) => this.releaseConnection(connection));
  }

  /** Like `execute`, but does not wait until the written data is on the disk. */
  async executeUnsynced<R>(query: CompiledQuery<R>): Promise<QueryResult<R>> {
    return this.#execute(query, (connection) => {
      connection.takeHasWritten();
      this.#release();
    });
  }

  async #execute<R>(
    query: CompiledQuery<R>,
    release: (connection: Connection) => Promise<void> | void,
  ): Promise<QueryResult<R>> {
    if (query.query.kind === 'SelectQueryNode') return this.#enqueueRead(query);
    const connection = await this.acquireConnection();
    try {
      return await this.#runPatiently<R>(connection, query);
    } finally {
      await release(connection);
    }
  }

  /** @throws Error that says why the database cannot be used */
  async ping(): Promise<void> {
    const connection = await this.acquireConnection();
    try {
      connection.check();
    } finally {
      await this.releaseConnection(connection);
    }
  }

  /**
   * Runs a statement that needs the write lock. Tries again while another process holds the lock.
   *
   * The caller must have taken the connection. Other callers can use it between two attempts. SQLite's own waiting would
   * block the whole process, including reads.
   */
  async #runPatiently<R>(connection: Connection, query: CompiledQuery): Promise<QueryResult<R>> {
    connection.requireFile();
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

  /** Begins `immediate`: a deferred transaction that reads before it writes could fail with "database is locked". */
  async beginTransaction(connection: Connection, { accessMode }: TransactionSettings): Promise<void> {
    if (accessMode === 'read only') connection.run(CompiledQuery.raw('begin'));
    else await this.#runPatiently(connection, CompiledQuery.raw('begin immediate'));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'));
  }

  async rollbackTransaction(connection: Connection): Promise<void> {
    connection.rollback();
  }

  /** Tracks the changes of the file from now on. Must be called before the first query. */
  follow(steady: Clock): SeenChanges {
    const changes = new SeenChanges(() => this.#open().version(), steady);
    this.#onChange = (change) => changes.tell(change);
    return changes;
  }

  async destroy(): Promise<void> {
    this.#isClosed = true;
    await this.#log.close();
    this.#connection?.close();
    this.#connection = undefined;
  }
}

/** Makes Kysely run all migrations in one immediate transaction, whose write lock keeps other processes out. */
class LockingSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** Returns the dialect for the SQLite file at `path`. Creates the file and its folder if they are missing. */
export function sqliteDialect(path: string, options: SqliteOptions) {
  const driver = new SqliteDriver(path, options);
  const execute: Handle['execute'] = (query) => driver.execute(query);
  const executeUnsynced: Handle['execute'] = (query) => driver.executeUnsynced(query);
  return {
    execute,
    executeUnsynced,
    ping: () => driver.ping(),
    close: () => driver.destroy(),
    connections: () => driver.counts(),
    follow: (steady: Clock) => driver.follow(steady),
    createDriver: () => driver,
    createAdapter: () => new LockingSqliteAdapter(),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  } satisfies Dialect & Record<string, unknown>;
}
