import type { CompiledQuery, Kysely, QueryResult, Sql } from 'kysely';
import type { Pool } from 'pg';
import type { Change, Changes } from './changes.ts';
import type { Place } from './place.ts';
import type { Schema } from './schema.ts';

export type DatabaseKind = 'sqlite' | 'postgres';

/** A query that is about to run. */
export interface ObservedQuery {
  name: string;
  sql: string;
  /** In the order of the placeholders in the text. */
  values: readonly unknown[];
  /** The same values under their names, as the caller gave them. */
  params: object;
}

/** Sees every named query of a database. */
export interface QueryObserver {
  /** Runs the query and returns its result. */
  watch<T>(query: ObservedQuery, run: () => Promise<T>): Promise<T>;
}

export interface ConnectionCounts {
  total: number;
  idle: number;
  /** Queries that wait for a connection. */
  waiting: number;
}

/** Records events in the transaction of their change. `events/` creates it; each handle of a database carries it. */
export interface EventSink {
  /** Returns for each event what subscribers ended as a consequence, as counts by name. */
  record(tx: Transaction, events: readonly { readonly type: string }[]): Promise<Readonly<Record<string, number>>[]>;
}

/** What queries run on: the database itself, or a transaction on it. */
export interface Handle {
  readonly kind: DatabaseKind;
  readonly kysely: Kysely<Schema>;
  /** For SQL text. Queries take it from here, so that kysely is loaded only with the database. */
  readonly sql: Sql;
  /** Runs one query directly at the driver. */
  execute<Row>(query: CompiledQuery<Row>): Promise<QueryResult<Row>>;
  readonly observer: QueryObserver | undefined;
  /** On PostgreSQL, reports a row that this process changed: at once, or when the transaction has ended. */
  readonly tell?: ((change: Change) => void) | undefined;
  /** Missing if the database was opened for work that records no events, such as a migration. */
  readonly events?: EventSink | undefined;
}

/** A handle that commits all of its work, or none. */
export interface Transaction extends Handle {
  /** Calls `work` once the transaction is committed, and never if it fails. */
  afterCommit(work: () => void): void;
}

export interface Database extends Handle {
  readonly place: Place;
  /** Tells lookups how long they may keep their answers. */
  readonly changes: Changes;
  /** The connections to PostgreSQL, for libraries that keep their own tables. */
  readonly pool?: Pool;
  /**
   * Runs `work` in one transaction: all of it is kept, or nothing. On SQLite it holds the write lock from its first
   * statement on. No password hash and no network call in here.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** On PostgreSQL, sends a message to the listeners of a channel, through the connections that write changes. */
  announce?(channel: string, word: string): Promise<void>;
  /**
   * The same for writes that may be lost with the machine, but not with the process: on SQLite they do not wait for the
   * disk, and reach it with the next write that does.
   */
  readonly unsynced: Handle;
  connections(): ConnectionCounts;
  /** Throws when the database does not answer; on SQLite also when its file is gone or cannot be written to. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
