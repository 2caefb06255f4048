import { closeSync, existsSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { CompiledQuery, type DatabaseConnection, type QueryResult } from 'kysely';
import { makeFolder } from '../lib/make-folder.ts';

/** How long somebody waits for another process that writes. */
export const BUSY_TIMEOUT_MS = 5000;
/**
 * Pages of the file in memory: those of some thousand sessions that come again and again in a table of ten million. A
 * smaller file takes less.
 */
const CACHE_KIB = 64 * 1024;

const EMPTY_LOG = CompiledQuery.raw('pragma wal_checkpoint(truncate)');

type File = InstanceType<typeof DatabaseSync>;
type Statement = ReturnType<File['prepare']>;

function openFile(file: string): File {
  makeFolder(dirname(file));
  // For its owner only, in whatever folder it lies; -wal and -shm get the rights of the file.
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  const opened = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true });
  opened.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}; pragma cache_size = -${CACHE_KIB}`);
  const { journal_mode: mode } = opened.prepare('pragma journal_mode = wal').get() ?? {};
  if (mode !== 'wal') throw new Error(`${file} is on a file system on which SQLite can't keep a write-ahead log`);
  opened.exec('pragma synchronous = normal');
  return opened;
}

/** Its code is not on every such error of the driver, SQLite's words are. */
export const isBusy = (error: unknown): boolean => error instanceof Error && error.message === 'database is locked';

/**
 * Kysely's one connection to a file, made with its folder when it is not there; statements are prepared once.
 *
 * Why     with a write-ahead log readers and one writer do not wait for each other. With synchronous=NORMAL a commit is in
 *         the hands of the system when it returns, and survives the end of the process; for that of the machine, see
 *         WriteAheadLog. Everything of the driver package is in this file.
 */
export class Connection implements DatabaseConnection {
  readonly #file: File;
  readonly #statements = new Map<string, { statement: Statement; answersRows: boolean }>();
  #hasWritten = false;

  constructor(path: string) {
    this.#file = openFile(path);
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
    const { kind } = query.query;
    const reads = kind === 'SelectQueryNode' || (kind === 'RawNode' && this.#prepare(query.sql).answersRows);
    if (!reads) this.#hasWritten = true;
    return this.run(query);
  }

  /** Whether anything may have been written since the last call. */
  takeHasWritten(): boolean {
    const hasWritten = this.#hasWritten;
    this.#hasWritten = false;
    return hasWritten;
  }

  /** Runs a statement that writes or begins to; fails at once while another process writes. */
  runUnlessBusy<R>(query: CompiledQuery): QueryResult<R> {
    this.#hasWritten = true;
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

  /**
   * Writes all of the log into the database, which is brought to the disk then, and empties it.
   *
   * Throws  when another process is at the database.
   */
  checkpoint(): void {
    const [row] = this.runUnlessBusy<{ busy: number }>(EMPTY_LOG).rows;
    if (row?.busy !== 0) throw new Error('the write-ahead log could not be emptied: the database is in use');
  }

  /** Empties the log unless another process uses it, which does the same when it closes. */
  close(): void {
    this.runUnlessBusy(EMPTY_LOG);
    this.#statements.clear();
    this.#file.close();
  }
}

/**
 * Sees the commits to a file, whoever makes them: a connection of its own, for SQLite does not count those of the
 * connection that asks (`pragma data_version`).
 */
export class CommitWatch {
  readonly #file: File;
  readonly #version: Statement;

  /** Throws when there is no such file. */
  constructor(path: string) {
    this.#file = new DatabaseSync(path, { readOnly: true });
    this.#version = this.#file.prepare('pragma data_version');
  }

  /**
   * Another number than before when something was committed meanwhile. It is found as a read finds out what it may
   * see, so that no read sees a commit that this does not.
   *
   * Throws  when the file can't be read.
   */
  version(): number {
    return Number(this.#version.get()?.data_version);
  }

  close(): void {
    this.#file.close();
  }
}

/** A query that reads, and somebody who waits for what it gives. */
export interface Read {
  run(connection: Connection): void;
  fail(error: unknown): void;
}
