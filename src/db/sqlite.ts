import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
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
import { steadyClock } from '../kit/clock.ts';
import { makeFolder } from '../kit/make-folder.ts';
import type { ConnectionCounts, Handle } from './handle.ts';

/** How long somebody waits for another process that writes. */
const BUSY_TIMEOUT_MS = 5000;
const LONGEST_PAUSE_MS = 50;
/**
 * Pages of the file in memory: those of some thousand sessions that come again and again in a table of ten million. A
 * smaller file takes less.
 */
const CACHE_KIB = 64 * 1024;

type File = InstanceType<typeof DatabaseSync>;
type Statement = ReturnType<File['prepare']>;

function openFile(file: string): File {
  makeFolder(dirname(file));
  const opened = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true });
  opened.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}; pragma journal_mode = wal; pragma synchronous = full`);
  opened.exec(`pragma cache_size = -${CACHE_KIB}`);
  return opened;
}

/** Its code is not on every such error of the driver, SQLite's words are. */
const isBusy = (error: unknown): boolean => error instanceof Error && error.message === 'database is locked';

/** Kysely's one connection to the file; statements are prepared once. */
class Connection implements DatabaseConnection {
  readonly #file: File;
  readonly #statements = new Map<string, { statement: Statement; answersRows: boolean }>();

  constructor(file: File) {
    this.#file = file;
  }

  #prepare(sql: string) {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#file.prepare(sql);
    const made = { statement, answersRows: statement.columns().length > 0 };
    this.#statements.set(sql, made);
    return made;
  }

  run<R>({ sql, parameters }: CompiledQuery): QueryResult<R> {
    const { statement, answersRows } = this.#prepare(sql);
    if (answersRows) {
      const rows: R[] = statement.all(...parameters);
      return { rows, numAffectedRows: BigInt(rows.length) };
    }
    return { rows: [], numAffectedRows: BigInt(statement.run(...parameters).changes) };
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.run(query);
  }

  /** Runs a statement that writes or begins to; fails at once while another process writes. */
  runUnlessBusy<R>(query: CompiledQuery): QueryResult<R> {
    this.run(CompiledQuery.raw('pragma busy_timeout = 0'));
    try {
      return this.run(query);
    } finally {
      this.run(CompiledQuery.raw(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`));
    }
  }

  /** Some failures end the transaction by themselves, that of a full disk among them. */
  rollback(): void {
    if (this.#file.isTransaction) this.run(CompiledQuery.raw('rollback'));
  }

  /**
   * Runs reads one after another in one transaction: the file is locked and looked at for changes once for all of
   * them, which costs more than a read by its key.
   */
  runTogether(reads: readonly Read[]): void {
    const isShared = reads.length > 1;
    if (isShared) this.run(CompiledQuery.raw('begin'));
    try {
      for (const read of reads) read.run(this);
    } finally {
      if (isShared) this.run(CompiledQuery.raw('commit'));
    }
  }

  // biome-ignore lint/correctness/useYield: Kysely asks for the method; no query here streams.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('queries on SQLite do not stream');
  }

  close(): void {
    this.#statements.clear();
    this.#file.exec('pragma wal_checkpoint(truncate)');
    this.#file.close();
  }
}

/** A query that reads, and somebody who waits for what it gives. */
interface Read {
  run(connection: Connection): void;
  fail(error: unknown): void;
}

/** One connection, handed on in the order in which it was asked for. */
class SqliteDriver implements Driver {
  readonly #path: string;
  readonly #waiting: (() => void)[] = [];
  #connection: Connection | undefined;
  #isClosed = false;
  #isTaken = false;
  #reads: Read[] = [];

  constructor(path: string) {
    this.#path = path;
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
      this.#connection ??= new Connection(openFile(this.#path));
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

  async releaseConnection(): Promise<void> {
    this.#release();
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
      this.#release();
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
    for (let pause = 1; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
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
      if (this.#reads.length === 0) setImmediate(() => this.#runReads());
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

  close(): void {
    this.#isClosed = true;
    this.#connection?.close();
    this.#connection = undefined;
  }

  async destroy(): Promise<void> {
    this.close();
  }
}

/** Runs all migrations in one immediate transaction, which is their lock. */
class LockingSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/**
 * The embedded database at `path`, made with its folder when it is not there.
 *
 * Why     WAL with synchronous=FULL: readers and one writer do not wait for each other, and what was committed
 *         survives the end of the process and of the machine. Everything of the driver package is in this file.
 */
export function sqliteDialect(path: string) {
  const driver = new SqliteDriver(path);
  const execute: Handle['execute'] = (query) => driver.execute(query);
  return {
    execute,
    close: () => driver.close(),
    connections: () => driver.counts(),
    createDriver: () => driver,
    createAdapter: () => new LockingSqliteAdapter(),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  } satisfies Dialect & Record<string, unknown>;
}
