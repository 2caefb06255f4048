import type { CompiledQuery, Kysely, QueryResult, Sql } from 'kysely';
import type { Pool } from 'pg';
import type { Change, Changes } from './changes.ts';
import type { Place } from './place.ts';
import type { Schema } from './schema.ts';

export type DatabaseKind = 'sqlite' | 'postgres';

/** A query that is about to be executed. */
export interface ObservedQuery {
  name: string;
  sql: string;
  /** The values, in the order of the placeholders in the SQL text. */
  values: readonly unknown[];
  /** The same values by name, as the caller passed them. */
  params: object;
}

/** Watches every named query of a database. */
export interface QueryObserver {
  /** Runs the query and returns its result. */
  watch<T>(query: ObservedQuery, run: () => Promise<T>): Promise<T>;
}

export interface ConnectionCounts {
  total: number;
  idle: number;
  /** Number of queries that wait for a connection. */
  waiting: number;
}

/** Records events in the same transaction as the change that they are about. `events/` implements it for each database. */
export interface EventSink {
  /** Records events. Returns, for each event, what subscribers ended as a consequence, as counts by name. */
  record(tx: Transaction, events: readonly { readonly type: string }[]): Promise<Readonly<Record<string, number>>[]>;
}

/** A database or an open transaction, on which queries can run. */
export interface Handle {
  readonly kind: DatabaseKind;
  readonly kysely: Kysely<Schema>;
  /** The `sql` tag of kysely. Queries get it from here, so that kysely is loaded only when a database is opened. */
  readonly sql: Sql;
  /** Runs one query directly on the driver. */
  execute<Row>(query: CompiledQuery<Row>): Promise<QueryResult<Row>>;
  readonly observer: QueryObserver | undefined;
  /**
   * On PostgreSQL: reports a row that this process changed. In a transaction, the report waits for the end of the
   * transaction.
   */
  readonly tell?: ((change: Change) => void) | undefined;
  /** Undefined if the database was opened for work that records no events, such as a migration. */
  readonly events?: EventSink | undefined;
}

/** A handle whose changes are all committed, or all undone. */
export interface Transaction extends Handle {
  /** Calls `work` after the transaction is committed. Never calls it if the transaction fails. */
  afterCommit(work: () => void): void;
}

export interface Database extends Handle {
  readonly place: Place;
  /** Tells lookups which cached answers are no longer valid. */
  readonly changes: Changes;
  /** The connection pool of PostgreSQL, for libraries that manage their own tables. */
  readonly pool?: Pool;
  /**
   * Runs `work` in one transaction, which is undone if `work` throws. On SQLite it holds the write lock from the start. Do not
   * hash passwords or use the network in it.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** On PostgreSQL: sends a message to the listeners of a channel, over the connections that also write changes. */
  announce?(channel: string, word: string): Promise<void>;
  /**
   * A handle for writes that may be lost in a power failure, but not when the process ends. On SQLite these writes do not wait for
   * the disk. They reach it together with the next write that does wait.
   */
  readonly unsynced: Handle;
  connections(): ConnectionCounts;
  /** Throws if the database does not answer. On SQLite, also throws if the file is gone or cannot be written to. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
