import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import pg from 'pg';
import { markOutage } from './outage.ts';
import type { PoolOptions, Servers } from './postgres.ts';

/** The error code of a server that is read-only, because it follows another one. */
const READ_ONLY = '25006';
/** The error code of a server, a database or an account that takes no more connections. */
const TOO_MANY_CONNECTIONS = '53300';
/**
 * Errors of a server that can pass: of the connection, deadlocks, lack of disk, memory or connections, locks, time
 * limits, shutdowns, and databases that take no connections.
 *
 * @see PostgreSQL, Appendix A
 */
const PASSING = /^(08|25006|40|53|55000|55P03|57)/;
/** When the pool tries again to open as many connections as the settings say. */
const TRY_MORE_AFTER_MS = 60_000;

const codeOf = (error: unknown): string => (error instanceof pg.DatabaseError ? (error.code ?? '') : '');

/** Marks what the server says about its state, and every failure that the server did not report: no answer came. */
function markIfPassing(error: unknown): void {
  if (!(error instanceof pg.DatabaseError) || PASSING.test(codeOf(error))) markOutage(error);
}

/** One borrowed connection. It returns to the pool only if the outcome of every statement is known. */
class CarefulClient implements PostgresPoolClient {
  readonly #client: pg.PoolClient;
  #isDoubtful = false;

  constructor(client: pg.PoolClient) {
    this.#client = client;
  }

  query<R>(sql: string, parameters: ReadonlyArray<unknown>): Promise<PostgresQueryResult<R>>;
  query(cursor: never): never;
  async query<R>(sql: string, parameters: ReadonlyArray<unknown> = []): Promise<PostgresQueryResult<R>> {
    try {
      const { command, rowCount, rows } = await this.#client.query(sql, [...parameters]);
      return { command: toCommand(command), rowCount: rowCount ?? 0, rows };
    } catch (error) {
      this.#isDoubtful ||= !(error instanceof pg.DatabaseError) || error.code === READ_ONLY;
      markIfPassing(error);
      throw error;
    }
  }

  release(destroy = false): void {
    this.#client.release(destroy || this.#isDoubtful);
  }
}

const commands = ['UPDATE', 'DELETE', 'INSERT', 'SELECT', 'MERGE', 'COMMIT', 'ROLLBACK'] as const;

/** Kysely marks statements that change rows or end a transaction. All others count as reads. */
const toCommand = (text: string) => commands.find((command) => command === text) ?? 'SELECT';

/**
 * Lends connections of a pool. When the server takes no more of them, the caller waits for one that is open.
 *
 * Without this, requests fail although others would hand their connections on a moment later. The limit may come
 * from other programs, so the pool tries to open more after a minute.
 */
function createLender(pool: pg.Pool, onTrouble: PoolOptions['onTrouble']): () => Promise<pg.PoolClient> {
  const { max } = pool.options;
  let isReported = false;
  const limitTo = (count: number, error: unknown) => {
    if (pool.options.max === max)
      setTimeout(() => {
        pool.options.max = max;
      }, TRY_MORE_AFTER_MS).unref();
    pool.options.max = count;
    if (isReported) return;
    isReported = true;
    onTrouble(
      error,
      `the database takes fewer connections than DATABASE_POOL_MAX=${max}; requests wait for those that are open. Lower DATABASE_POOL_MAX, or raise the limit of the server (max_connections), the database or the user (connection limit)`,
    );
  };
  const lend = async (): Promise<pg.PoolClient> => {
    try {
      return await pool.connect();
    } catch (error) {
      if (codeOf(error) !== TOO_MANY_CONNECTIONS || pool.totalCount === 0) throw error;
      limitTo(pool.totalCount, error);
      return lend();
    }
  };
  return lend;
}

/**
 * A pool for queries and transactions that closes a connection after a failure that the server itself did not report.
 *
 * A statement that timed out may still run: a `begin` that the server reads late leaves the connection inside a
 * transaction. Later requests would write in that transaction and report success, and its end would undo their
 * writes. Closing the connection undoes only writes that were not acknowledged.
 */
export function carefulPool(pool: pg.Pool, servers: Servers, onTrouble: PoolOptions['onTrouble']): PostgresPool {
  const lend = createLender(pool, onTrouble);
  return {
    connect: async () => {
      try {
        return new CarefulClient(await servers.connect(lend));
      } catch (error) {
        markIfPassing(error);
        throw error;
      }
    },
    end: () => pool.end(),
  };
}
