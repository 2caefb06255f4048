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
  /** Opens the file only for reading: it is neither created nor changed. */
  isReadOnly?: boolean | undefined;
  /** With isReadOnly: no file is made beside it either. For a short look. */
  leavesNoFiles?: boolean | undefined;
}

/** Lends one connection to its callers in the order of their requests. */
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

  /** Resolves when the written data is on disk. Other callers use the connection meanwhile. */
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
   * Runs a query outside of transactions. Reads of the same turn of the event loop run together at its end, so each
   * sees everything that was committed before it was requested.
   */
  async execute<R>(query: CompiledQuery<R>): Promise<QueryResult<R>> {
    return this.#execute(query, (connection) => this.releaseConnection(connection));
  }

  /** The same without waiting until the written data is on disk. */
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

  /** @throws Error why the database cannot be used */
  async ping(): Promise<void> {
    const connection = await this.acquireConnection();
    try {
      connection.check();
    } finally {
      await this.releaseConnection(connection);
    }
  }

  /**
   * Runs a statement that takes the write lock, and tries again while another process holds it.
   *
   * The caller must have taken the connection. Other callers use it between two attempts. SQLite's own wait would block
   * the whole process, including reads.
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

  /** Immediate, not deferred: a transaction that reads before it writes would fail with "database is locked". */
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

  /** Follows the changes of the file from now on; called before the first query. */
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

/** Runs all migrations in one immediate transaction, which is their lock. */
class LockingSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** Makes the dialect of the embedded database at `path`; a missing file and its folder are created. */
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
