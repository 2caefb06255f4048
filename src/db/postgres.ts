import pg from 'pg';

const INT8_OID = 20;
/** Two of these in a row, the rate limit and the query itself, still answer a request within six seconds. */
const CONNECT_TIMEOUT_MS = 2500;
const QUERY_TIMEOUT_MS = 2500;

export interface PoolOptions {
  max: number;
  /** For migrations and commands, which may wait as long as they need to. */
  isPatient: boolean;
  /** Told of a connection that was lost while idle. */
  onLost(error: Error): void;
}

/**
 * A pool of connections to PostgreSQL.
 *
 * Gives   8-byte integers as numbers (instants and counters stay far below 2^53).
 * Why     an idle connection that the server cuts is told to `onLost` and replaced; without a listener it would
 *         end the process. Timeouts answer a request while the database is away, instead of letting it hang.
 */
export function openPool(url: string, { max, isPatient, onLost }: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    application_name: 'authsvc',
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    ...(isPatient ? {} : { query_timeout: QUERY_TIMEOUT_MS }),
    types: {
      getTypeParser: (oid, format) => (oid === INT8_OID ? Number : pg.types.getTypeParser(oid, format)),
    },
  });
  pool.on('error', onLost);
  return pool;
}
