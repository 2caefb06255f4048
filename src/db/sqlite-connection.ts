import { closeSync, existsSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DatabaseSync } from '@photostructure/sqlite';
import { CompiledQuery, type DatabaseConnection, type QueryResult } from 'kysely';
import { makeFolder } from '../lib/make-folder.ts';
import { type Change, watchedColumns, wholeTables } from './changes.ts';
import { markOutage } from './outage.ts';
import { wrongKind } from './reasons.ts';

/** How long a statement waits while another process is writing. */
export const BUSY_TIMEOUT_MS = 5000;
/** Size of the page cache: enough for some thousand active sessions in a table of ten million. Small files use less. */
const CACHE_KIB = 64 * 1024;

const EMPTY_LOG = CompiledQuery.raw('pragma wal_checkpoint(truncate)');
const DATA_VERSION = 'pragma data_version';

/** Triggers that exist only in this connection. They call its function `tell_change` for each row that it changes. */
const TELL_CHANGES = [
  ...Object.entries(watchedColumns).flatMap(([table, columns]) => [
    {
      table,
      verb: 'update',
      row: 'old.id',
      when: columns.map((name) => `old.${name} is not new.${name}`).join(' or '),
    },
    { table, verb: 'delete', row: 'old.id', when: 'true' },
  ]),
  ...wholeTables.flatMap((table) =>
    ['insert', 'update', 'delete'].map((verb) => ({ table, verb, row: "'*'", when: 'true' })),
  ),
]
  .map(
    ({ table, verb, row, when }) =>
      `create temp trigger tell_${verb}_of_${table} after ${verb} on main.${table} when ${when} begin select tell_change('${table}', ${row}); end`,
  )
  .join(';');

type OnChange = (change: Change) => void;

interface ConnectionOptions {
  isReadOnly: boolean;
  leavesNoFiles?: boolean | undefined;
  onChange?: OnChange | undefined;
}

type File = InstanceType<typeof DatabaseSync>;
type Statement = ReturnType<File['prepare']>;

/**
 * Opens a file for reading and changes nothing in it.
 *
 * To read a database in write-ahead mode, SQLite creates the log file if there is none. Only a connection that may write
 * deletes the log again when it closes.
 *
 * @param leavesNoFiles whether SQLite must not create any file next to the database, even for a short time. The reader then
 *   does not notice if another process starts to write
 */
function openToRead(file: string, leavesNoFiles: boolean): File {
  const isUnused = !existsSync(`${file}-wal`) && !existsSync(`${file}-journal`);
  const isFrozen = leavesNoFiles && isUnused;
  const place = isFrozen ? Object.assign(pathToFileURL(file), { search: '?immutable=1' }) : file;
  const opened = new DatabaseSync(place, { timeout: BUSY_TIMEOUT_MS, readOnly: isFrozen || !isUnused });
  opened.exec(`pragma query_only = on; pragma cache_size = -${CACHE_KIB}`);
  return opened;
}

function openFile(file: string): File {
  makeFolder(dirname(file));
  // Only the owner may read the file, whatever the permissions of the folder. -wal and -shm get the same permissions.
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  const opened = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true });
  opened.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}; pragma cache_size = -${CACHE_KIB}`);
  const { journal_mode: mode } = opened.prepare('pragma journal_mode = wal').get() ?? {};
  if (mode !== 'wal') throw new Error(`${file} is on a file system on which SQLite can't keep a write-ahead log`);
  opened.exec('pragma synchronous = normal');
  return opened;
}

/** Compares the message, because not every error of this kind has SQLite's error code. */
export const isBusy = (error: unknown): boolean => error instanceof Error && error.message === 'database is locked';

/** Messages of temporary errors of the file, its disk or its lock. */
const PASSING = [
  'database is locked',
  'database or disk is full',
  'disk I/O error',
  'unable to open database file',
  'attempt to write a readonly database',
];

/** Returns the device and inode numbers of the file at a path, or undefined if there is no file. */
function identityOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && `${found.dev} ${found.ino}`;
}

/**
 * The one connection that Kysely uses for a file. Creates a missing file and its folder, and prepares each statement once.
 *
 * With a write-ahead log, readers do not wait for the writer, nor the writer for readers. With synchronous=NORMAL, a commit
 * survives the end of the process; WriteAheadLog makes it survive a power loss too. Only this file uses the driver package.
 */
export class Connection implements DatabaseConnection {
  readonly #file: File;
  readonly #path: string;
  readonly #identity: string | undefined;
  readonly #isReadOnly: boolean;
  readonly #statements = new Map<string, { statement: Statement; answersRows: boolean }>();
  #hasWritten = false;
  /** Whether a statement failed with a temporary error. */
  #hasFailed = false;

  /** @param onChange called before the commit for each changed row of a watched table; requires migrated tables */
  constructor(path: string, { isReadOnly, leavesNoFiles = false, onChange }: ConnectionOptions) {
    const fault = wrongKind(path);
    if (fault) throw fault;
    this.#isReadOnly = isReadOnly;
    this.#path = path;
    this.#file = isReadOnly ? openToRead(path, leavesNoFiles) : openFile(path);
    this.#identity = identityOf(path);
    if (!onChange) return;
    this.#file.function('tell_change', (table: string, id: string | number) => {
      onChange(`${table} ${id}`);
      return null;
    });
    this.#file.exec(TELL_CHANGES);
  }

  #prepare(sql: string) {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#file.prepare(sql);
    const made = { statement, answersRows: statement.columns().length > 0 };
    this.#statements.set(sql, made);
    return made;
  }

  run<R>(query: CompiledQuery): QueryResult<R> {
    try {
      return this.#execute<R>(query);
    } catch (error) {
      if (error instanceof Error && PASSING.includes(error.message)) {
        markOutage(error);
        this.#hasFailed = true;
      }
      throw error;
    }
  }

  #execute<R>({ sql, parameters }: CompiledQuery): QueryResult<R> {
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

  /** Returns whether this connection may have written since the last call. */
  takeHasWritten(): boolean {
    const hasWritten = this.#hasWritten && !this.#isReadOnly;
    this.#hasWritten = false;
    return hasWritten;
  }

  /**
   * Checks that the opened file is still at its path. SQLite can write to a deleted file, but those writes are lost.
   *
   * @throws Error if the file was deleted or replaced after it was opened
   */
  requireFile(): void {
    if (identityOf(this.#path) === this.#identity) return;
    const error = new Error(`${this.#path} was deleted or replaced while it was in use; restart the service`);
    markOutage(error);
    throw error;
  }

  /**
   * Checks that the file is still there. After a temporary error, also checks that the file can be written to: writes the
   * version of the schema again, which changes nothing but needs the write lock and space on the disk.
   *
   * @throws Error that says why the database cannot be used
   */
  check(): void {
    this.requireFile();
    if (!this.#hasFailed) return;
    const { user_version: version } = this.#prepare('pragma user_version').statement.get() ?? {};
    this.runUnlessBusy(CompiledQuery.raw(`pragma user_version = ${Number(version)}`));
    this.#hasFailed = false;
  }

  /** Runs a statement that needs the write lock. Fails at once if another process holds the lock. */
  runUnlessBusy<R>(query: CompiledQuery): QueryResult<R> {
    this.#hasWritten = true;
    this.run(CompiledQuery.raw('pragma busy_timeout = 0'));
    try {
      return this.run(query);
    } finally {
      this.run(CompiledQuery.raw(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`));
    }
  }

  /** Rolls back, unless the failure already ended the transaction. A full disk, for example, does that. */
  rollback(): void {
    if (this.#file.isTransaction) this.run(CompiledQuery.raw('rollback'));
  }

  /**
   * Runs reads one after another in one transaction. SQLite then locks the file and checks for changes only once. These
   * two steps take longer than reading a row by its key.
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
   * Returns a number that changes with each commit of another connection, in this or another process. SQLite
   * determines this number in the same way as the snapshot of a read. So no read sees a commit that the number does not show.
   */
  version(): number {
    return Number(this.#prepare(DATA_VERSION).statement.get()?.data_version);
  }

  /**
   * Writes the whole log into the database, syncs the database to the disk, and empties the log.
   *
   * @throws Error if another process uses the database
   */
  checkpoint(): void {
    const [row] = this.runUnlessBusy<{ busy: number }>(EMPTY_LOG).rows;
    if (row?.busy !== 0) throw new Error('the write-ahead log could not be emptied: the database is in use');
  }

  /**
   * Closes the file. First empties the log, unless another process uses the file. That process then empties the log
   * when it closes the file.
   */
  close(): void {
    if (!this.#isReadOnly) this.runUnlessBusy(EMPTY_LOG);
    this.#statements.clear();
    this.#file.close();
  }
}

/** A read that waits for its turn. `run` executes it and answers its caller; `fail` passes an error to its caller. */
export interface Read {
  run(connection: Connection): void;
  fail(error: unknown): void;
}
