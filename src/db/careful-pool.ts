import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import pg from 'pg';
import type { Servers } from './postgres.ts';

/** The error code of a server that is read-only, because it follows another one. */
const READ_ONLY = '25006';

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
 * A pool for queries and transactions that closes a connection after a failure that the server itself did not report.
 *
 * Why     a statement that timed out may still run: a `begin` that the server reads late leaves the connection inside a
 *         transaction. Later requests would write in that transaction and report success, and its end would undo their
 *         writes. Closing the connection undoes only writes that were not acknowledged.
 */
export function carefulPool(pool: pg.Pool, servers: Servers): PostgresPool {
  return {
    connect: async () => new CarefulClient(await servers.connect(() => pool.connect())),
    end: () => pool.end(),
  };
}
