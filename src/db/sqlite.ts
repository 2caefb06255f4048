import { dirname } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { makeFolder } from '../kit/make-folder.ts';
import type { ConnectionCounts } from './handle.ts';

const BUSY_TIMEOUT_MS = 5000;

type File = InstanceType<typeof DatabaseSync>;
type Statement = ReturnType<File['prepare']>;

function openFile(file: string): File {
  makeFolder(dirname(file));
  const opened = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true });
  opened.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}; pragma journal_mode = wal; pragma synchronous = full`);
  return opened;
}

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

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { statement, answersRows } = this.#prepare(sql);
    if (answersRows) {
      const rows: R[] = statement.all(...parameters);
      return { rows, numAffectedRows: BigInt(rows.length) };
    }
    return { rows: [], numAffectedRows: BigInt(statement.run(...parameters).changes) };
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

/** One connection, handed on in the order in which it was asked for. */
class SqliteDriver implements Driver {
  readonly #path: string;
  readonly #waiting: (() => void)[] = [];
  #connection: Connection | undefined;
  #isTaken = false;

  constructor(path: string) {
    this.#path = path;
  }

  counts(): ConnectionCounts {
    const total = this.#connection ? 1 : 0;
    return { total, idle: this.#isTaken ? 0 : total, waiting: this.#waiting.length };
  }

  async init(): Promise<void> {
    this.#connection = new Connection(openFile(this.#path));
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    if (this.#isTaken) await new Promise<void>((take) => this.#waiting.push(take));
    this.#isTaken = true;
    if (!this.#connection) throw new Error('the database is closed');
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#isTaken = false;
  }

  /** Immediate, not deferred: a transaction that reads first and writes then would meet "database is locked". */
  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'));
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('rollback'));
  }

  async destroy(): Promise<void> {
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

/**
 * The embedded database at `path`, made with its folder when it is not there.
 *
 * Why     WAL with synchronous=FULL: readers and one writer do not wait for each other, and what was committed
 *         survives the end of the process and of the machine. Everything of the driver package is in this file.
 */
export function sqliteDialect(path: string): Dialect & { connections(): ConnectionCounts } {
  const driver = new SqliteDriver(path);
  return {
    connections: () => driver.counts(),
    createDriver: () => driver,
    createAdapter: () => new LockingSqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}
