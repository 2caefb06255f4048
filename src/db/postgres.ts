import pg from 'pg';
import { driverUrl, postgresServers } from '../settings/postgres-url.ts';

const INT8_OID = 20;
/** Two of these in a row, the rate limit and the query itself, still answer a request within six seconds. */
const CONNECT_TIMEOUT_MS = 2500;
const QUERY_TIMEOUT_MS = 2500;
/**
 * What the server shall not let a connection of this service do for longer.
 *
 * Why     a statement that waits for a lock goes on waiting when nobody listens any more, and one connection after the
 *         other is used up by it; a process that is cut off inside a transaction holds its locks until the server
 *         notices. The statement ends a little before the wait for it, so that its connection stays in use.
 */
const TIME_LIMITS = { statement_timeout: QUERY_TIMEOUT_MS - 500, idle_in_transaction_session_timeout: 10_000 };

export interface PoolOptions {
  max: number;
  /** For migrations and commands, which may wait as long as they need to. */
  isPatient: boolean;
  /** Told of what goes wrong beside any query, and of what it is in a few words. */
  onTrouble(error: unknown, what: string): void;
}

/** The servers of one URL; new connections go to the one that took the last. */
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

  /** The time limits of a new connection; none once a pooler in between would not hear of them. */
  timeLimits(): pg.ClientConfig {
    return this.#takesTimeLimits ? TIME_LIMITS : {};
  }

  /** Whether this was a pooler's refusal of the time limits; new connections come without them then. */
  #giveUpTimeLimits(error: unknown): boolean {
    const isRefusal = error instanceof Error && error.message.includes('unsupported startup parameter');
    if (!isRefusal || !this.#takesTimeLimits) return false;
    this.#takesTimeLimits = false;
    return true;
  }

  /** The next server has its turn, unless somebody has seen to that already. */
  giveUp(url: string): void {
    if (url === this.current()) this.#at = (this.#at + 1) % this.#urls.length;
  }

  /** Connects; goes on to the next server as long as one was given up, but to none twice. */
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

/** The options of every connection, at one server out of several. */
export const connectionOptions = (servers: Servers) => ({
  application_name: 'authsvc',
  keepAlive: true,
  connectionTimeoutMillis: Math.ceil(CONNECT_TIMEOUT_MS / servers.count),
});

/**
 * A connection whose loss is told to those who use it: to the query that waits, and to the pool.
 *
 * Why     pg also emits it as an event, which would end the process where nobody listens: the pool does not while a
 *         connection is lent out.
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
 * A connection to the server whose turn it is.
 *
 * Why     of several servers one takes writes and the others follow it; which one changes when it fails. One that
 *         cannot be reached or only reads is given up.
 * Source  PostgreSQL, libpq, target_session_attrs=read-write
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
        if (rows[0]?.transaction_read_only === 'on') throw new Error('this server of the database only reads');
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
 * Gives   8-byte integers as numbers (instants and counters stay far below 2^53).
 * Why     an idle connection that the server cuts is told to `onTrouble` and replaced; without a listener it would
 *         end the process. Timeouts answer a request while the database is away, instead of letting it hang.
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
