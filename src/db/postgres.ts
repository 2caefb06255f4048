import pg from 'pg';

const INT8_OID = 20;
const CONNECT_TIMEOUT_MS = 4000;
const QUERY_TIMEOUT_MS = 5000;

/**
 * A pool of connections to PostgreSQL.
 *
 * Gives   8-byte integers as numbers (instants and counters stay far below 2^53).
 * Why     an idle connection that the server cuts is told to `onLost` and replaced; without a listener it would
 *         end the process. Timeouts answer a request while the database is away, instead of letting it hang.
 */
export function openPool(url: string, { max, onLost }: { max: number; onLost: (error: Error) => void }): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    application_name: 'authsvc',
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    types: {
      getTypeParser: (oid, format) => (oid === INT8_OID ? Number : pg.types.getTypeParser(oid, format)),
    },
  });
  pool.on('error', onLost);
  return pool;
}
