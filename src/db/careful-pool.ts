import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import pg from 'pg';
import { markOutage } from './outage.ts';
import type { PoolOptions, Servers } from './postgres.ts';

/** Error code of a read-only server. A server is read-only while it is a standby. */
const READ_ONLY = '25006';
/** Error code when the server, the database or the user has reached its limit of connections. */
const TOO_MANY_CONNECTIONS = '53300';
/**
 * Error codes of temporary failures: connection errors, deadlocks, lack of disk, memory or connections, locks, time limits,
 * shutdowns, and databases that accept no connections.
 *
 * @see PostgreSQL, Appendix A
 */
const PASSING = /^(08|25006|40|53|55000|55P03|57)/;
/** After this time, the pool tries again to open as many connections as the settings allow. */
const TRY_MORE_AFTER_MS = 60_000;

const codeOf = (error: unknown): string => (error instanceof pg.DatabaseError ? (error.code ?? '') : '');

/**
 * Marks an error as an outage if the server reports a temporary problem, or if the error does not come from the server:
 * then the server did not answer.
 */
function markIfPassing(error: unknown): void {
  if (!(error instanceof pg.DatabaseError) || PASSING.test(codeOf(error))) markOutage(error);
}

/** One borrowed connection. It returns to the pool only if the result of every statement is known. */
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

/** Returns the command of a result. Kysely distinguishes only statements that change rows; all others count as SELECT. */
const toCommand = (text: string) => commands.find((command) => command === text) ?? 'SELECT';

/**
 * Returns a function that lends connections of a pool. When the server accepts no further connection, the caller waits for
 * one that is already open.
 *
 * Without this, requests would fail although another request returns its connection a moment later. Other programs may have
 * used up the limit, so the pool tries to open more connections after a minute.
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
      `the database accepts fewer connections than DATABASE_POOL_MAX=${max}, so requests wait for an open one. Lower DATABASE_POOL_MAX, or raise the limit of the server (max_connections), the database or the user (connection limit)`,
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
 * Wraps a pool. The wrapper closes a connection after the error of a read-only server, and after any error that the
 * server did not send.
 *
 * A statement may still run after its timeout. If the server executes a `begin` late, the connection is inside a
 * transaction that no one knows of. Later requests would write in that transaction and report success, and its rollback
 * would undo their writes. Closing the connection at once undoes only writes that were not acknowledged.
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
