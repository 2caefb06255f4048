import pg from 'pg';
import { driverUrl, postgresServers } from '../settings/postgres-url.ts';

const INT8_OID = 20;
/** With these limits, a request is answered within six seconds, even if the rate limit and then a query time out. */
const CONNECT_TIMEOUT_MS = 2500;
const QUERY_TIMEOUT_MS = 2500;
/**
 * Time limits that the server enforces on the connections of this service.
 *
 * Without them, a statement that waits for a lock would keep waiting after its request has ended, and such statements would
 * use up the connections. And a process that loses its network inside a transaction would keep its locks until the server
 * notices. The limit for statements is a little shorter than the query timeout, so that the connection stays usable.
 */
const TIME_LIMITS = { statement_timeout: QUERY_TIMEOUT_MS - 500, idle_in_transaction_session_timeout: 10_000 };

export interface PoolOptions {
  max: number;
  /** Whether queries have no time limit. Migrations and commands may wait as long as they need to. */
  isPatient: boolean;
  /** Called for errors outside of any query, with a short description. */
  onTrouble(error: unknown, what: string): void;
}

/** The servers in a URL. New connections go to the server that accepted the last connection. */
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

  /** Returns the time limits for a new connection. Returns none after a pooler has refused them. */
  timeLimits(): pg.ClientConfig {
    return this.#takesTimeLimits ? TIME_LIMITS : {};
  }

  /** Returns whether the error means that a pooler refused the time limits. If so, new connections no longer send them. */
  #giveUpTimeLimits(error: unknown): boolean {
    const isRefusal = error instanceof Error && error.message.includes('unsupported startup parameter');
    if (!isRefusal || !this.#takesTimeLimits) return false;
    this.#takesTimeLimits = false;
    return true;
  }

  /** Switches to the next server, unless another connection has already done so. */
  giveUp(url: string): void {
    if (url === this.current()) this.#at = (this.#at + 1) % this.#urls.length;
  }

  /** Connects to a server. If that fails, tries each of the other servers once. */
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

/** Returns the options for every connection. The connection timeout is divided among the servers. */
export const connectionOptions = (servers: Servers) => ({
  application_name: 'authsvc',
  keepAlive: true,
  connectionTimeoutMillis: Math.ceil(CONNECT_TIMEOUT_MS / servers.count),
});

/**
 * Returns a client class that tolerates the loss of its connection. The waiting query and the pool still get the error.
 *
 * The driver also emits the loss as an event, and an `error` event without a listener would end the process. The pool does
 * not listen while a connection is lent out.
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
 * Returns a client class that connects to the current server.
 *
 * If there are several servers, one accepts writes and the others are standbys; after a failure, another one accepts writes.
 * So the class skips servers that are unreachable or read-only.
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
 * Opens a pool of connections to PostgreSQL.
 *
 * When the server cuts an idle connection, the pool calls `onTrouble` and replaces the connection. Without a listener the
 * process would end. Timeouts end requests while the database is unavailable, so that they do not hang. Queries return
 * 8-byte integers as numbers, which is exact because instants and counters stay far below 2^53.
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
