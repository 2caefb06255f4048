import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import pg from 'pg';
import type { Servers } from './postgres.ts';

/** What a server says that only reads: it was another one's follower all along, or has become that. */
const READ_ONLY = '25006';

/** One borrowed connection; it goes back to the pool only while it is known what the server did with all it was sent. */
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

/** Kysely tells those apart that change rows or end a transaction; any other counts as one that only reads. */
const toCommand = (text: string) => commands.find((command) => command === text) ?? 'SELECT';

/**
 * A pool for queries and transactions that throws a connection away after a failure that the server itself did not
 * report.
 *
 * Why     a statement that was given up after its time limit may still run: a `begin` that the server reads late
 *         leaves the connection inside a transaction, and what later requests write there, and are told is done,
 *         would be undone with it. Closing the connection undoes only what nobody was promised.
 */
export function carefulPool(pool: pg.Pool, servers: Servers): PostgresPool {
  return {
    connect: async () => new CarefulClient(await servers.connect(() => pool.connect())),
    end: () => pool.end(),
  };
}
