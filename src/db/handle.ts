import type { Kysely } from 'kysely';
import type { Pool } from 'pg';
import type { Schema } from './schema.ts';

export type DatabaseKind = 'sqlite' | 'postgres';

/** What queries run on: the database itself, or a transaction on it. */
export interface Handle {
  readonly kind: DatabaseKind;
  readonly kysely: Kysely<Schema>;
}

export interface Database extends Handle {
  /** The connections to PostgreSQL, for libraries that keep their own tables. */
  readonly pool?: Pool;
  /**
   * Runs `work` in one transaction: all of it is kept, or nothing. On SQLite it holds the write lock from its first
   * statement on. No password hash and no network call in here.
   */
  transaction<T>(work: (tx: Handle) => Promise<T>): Promise<T>;
  /** Throws when the database does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
