import pg from 'pg';
import { driverUrl, postgresServers } from '../settings/postgres-url.ts';

const INT8_OID = 20;
/** Two of these in a row, for the rate limit and the query itself, still answer a request within six seconds. */
const CONNECT_TIMEOUT_MS = 2500;
const QUERY_TIMEOUT_MS = 2500;
/**
 * The time limits that the server enforces on a connection of this service.
 *
 * A statement that waits for a lock keeps waiting after its request has ended, and such statements use up the
 * connections. A process that is cut off inside a transaction holds its locks until the server notices. The
 * statement ends a little before the wait for it, so that its connection stays usable.
 */
const TIME_LIMITS = { statement_timeout: QUERY_TIMEOUT_MS - 500, idle_in_transaction_session_timeout: 10_000 };

export interface PoolOptions {
  max: number;
  /** For migrations and commands, which may wait as long as they need to. */
  isPatient: boolean;
  /** Called for failures outside of any query, with a short description. */
  onTrouble(error: unknown, what: string): void;
}

/** The servers of one URL. New connections go to the server of the last one. */
export class Servers {
  readonly #urls: readonly string[];
  #at = 0;
  #takesTimeLimits = true;

  constructor(url: string) {
    this.#urls = (postgresServers(url) ?? []).map(driverUrl);
  }

  get count(): number {
    return this.#urls.length;
  }

  current(): string {
    return this.#urls[this.#at] ?? '';
  }

  /** The time limits of a new connection; none once a pooler in between has refused them. */
  timeLimits(): pg.ClientConfig {
    return this.#takesTimeLimits ? TIME_LIMITS : {};
  }

  /** Whether a pooler refused the time limits. New connections then have none. */
  #giveUpTimeLimits(error: unknown): boolean {
    const isRefusal = error instanceof Error && error.message.includes('unsupported startup parameter');
    if (!isRefusal || !this.#takesTimeLimits) return false;
    this.#takesTimeLimits = false;
    return true;
  }

  /** Moves on to the next server, unless another connection has done so already. */
  giveUp(url: string): void {
    if (url === this.current()) this.#at = (this.#at + 1) % this.#urls.length;
  }

  /** Connects. After a failure, tries the next server, each at most once. */
  async connect<T>(attempt: () => Promise<T>): Promise<T> {
    for (let left = this.#urls.length - 1; ; left -= 1) {
      const url = this.current();
      try {
        return await attempt();
      } catch (error) {
        if (this.#giveUpTimeLimits(error)) return this.connect(attempt);
        if (left === 0 || url === this.current()) throw error;
      }
    }
  }
}

/** The options of every connection, for one of several servers. */
export const connectionOptions = (servers: Servers) => ({
  application_name: 'authsvc',
  keepAlive: true,
  connectionTimeoutMillis: Math.ceil(CONNECT_TIMEOUT_MS / servers.count),
});

/**
 * A connection that reports its loss to its users: the waiting query and the pool.
 *
 * The driver also emits the loss as an event, which ends the process if it has no listener. The pool does not listen while a
 * connection is lent out.
 */
function clientAt(url: () => string, options: () => pg.ClientConfig): new () => pg.Client {
  return class extends pg.Client {
    constructor() {
      super({ ...options(), connectionString: url() });
      this.on('error', () => undefined);
    }
  };
}

/**
 * A connection to the current server.
 *
 * One of several servers takes writes and the others follow it, and after a failure it is another one. So a server
 * that is unreachable or read-only is skipped.
 *
 * @see PostgreSQL, libpq, target_session_attrs=read-write
 */
export function clientOf(servers: Servers, options: () => pg.ClientConfig): new () => pg.Client {
  if (servers.count === 1) return clientAt(() => servers.current(), options);
  return class extends pg.Client {
    readonly #url: string;

    constructor() {
      const url = servers.current();
      super({ ...options(), connectionString: url });
      this.#url = url;
      this.on('error', () => undefined);
    }

    override connect(): Promise<pg.Client>;
    override connect(callback: (error?: Error) => void): void;
    override connect(callback?: (error?: Error) => void): Promise<pg.Client> | undefined {
      const connected = this.#connect();
      if (!callback) return connected;
      connected.then(() => callback(), callback);
      return undefined;
    }

    async #connect(): Promise<pg.Client> {
      try {
        await super.connect();
        const { rows } = await this.query('show transaction_read_only');
        if (rows[0]?.transaction_read_only === 'on') throw new Error('this server of the database is read-only');
        return this;
      } catch (error) {
        servers.giveUp(this.#url);
        void this.end().catch(() => undefined);
        throw error;
      }
    }
  };
}

/**
 * A pool of connections to PostgreSQL.
 *
 * When the server cuts an idle connection, the pool calls `onTrouble` and replaces it; without a listener the
 * process would end. Timeouts end a request while the database is unavailable, instead of letting it hang. Its queries
 * return 8-byte integers as numbers, because instants and counters stay far below 2^53.
 */
export function openPool(servers: Servers, { max, isPatient, onTrouble }: PoolOptions): pg.Pool {
  const options = {
    ...connectionOptions(servers),
    ...(isPatient ? {} : { query_timeout: QUERY_TIMEOUT_MS }),
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === INT8_OID ? Number : pg.types.getTypeParser(oid, format),
    },
  };
  const optionsNow = () => ({ ...options, ...(isPatient ? {} : servers.timeLimits()) });
  const pool = new pg.Pool({ ...options, max, Client: clientOf(servers, optionsNow) });
  pool.on('error', (error) => onTrouble(error, 'an idle database connection was lost'));
  return pool;
}
