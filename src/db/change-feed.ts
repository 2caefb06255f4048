import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { type Clock, SECOND_MS } from '../lib/clock.ts';
import { randomHex } from '../lib/random.ts';
import { within } from '../lib/within.ts';
import { BOUND_MS, EVERYTHING, type FedChanges } from './changes.ts';
import type { Database } from './handle.ts';
import { clientOf, connectionOptions, Servers } from './postgres.ts';

const CHANNEL = 'authsvc_changes';
const BEAT_EVERY_MS = 500;
/** Time limit of a heartbeat. If it takes longer, the feed counts as lost. */
const PATIENCE_MS = BOUND_MS;
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5 * SECOND_MS;

interface Log {
  info(facts: object, text: string): void;
  warn(facts: object, text: string): void;
}

interface FeedParts {
  /** Address of the database without a pooler in between. */
  url: string;
  database: Database;
  changes: FedChanges;
  steady: Clock;
  log: Log;
}

/** A problem that the operator can fix. */
class FeedError extends Error {}

/** Sends messages to a channel of its own and waits until they come back. */
class Echo {
  readonly channel = `authsvc_echo_${randomHex(8)}`;
  readonly #waiting = new Map<string, () => void>();

  hear(word: string): void {
    this.#waiting.get(word)?.();
    this.#waiting.delete(word);
  }

  /** Sends a message with `send`. Resolves when the message arrives on the channel. */
  async of(send: (word: string) => Promise<unknown>): Promise<void> {
    const word = randomHex(8);
    const heard = new Promise<void>((resolve) => this.#waiting.set(word, resolve));
    await Promise.all([send(word), heard]).finally(() => this.#waiting.delete(word));
  }
}

/**
 * Refuses a connection through a pooler. A pooler may give the server connection with the LISTEN to another client, and
 * changes would then be missed without any error.
 */
async function requireDirect(client: pg.Client): Promise<void> {
  const { rows } = await client.query('select pg_backend_pid() as id');
  if ('processID' in client && client.processID === rows[0]?.id) return;
  throw new FeedError('the connection to the database goes through a pooler; set DATABASE_LISTEN_URL to a direct one');
}

/** Follows the changes. Reconnects each time the connection is lost. */
class Feed {
  readonly #parts: FeedParts;
  readonly #servers: Servers;
  readonly #stopping = new AbortController();
  readonly #done: Promise<void>;
  /** The last error that was logged. It is cleared when the feed works again, so each error is logged once. */
  #reported: string | undefined;

  constructor(parts: FeedParts) {
    this.#parts = parts;
    this.#servers = new Servers(parts.url);
    this.#done = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#done;
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stopping.signal, ref: false }).catch(() => undefined);
  }

  async #run(): Promise<void> {
    const { changes, steady } = this.#parts;
    let pause = FIRST_PAUSE_MS;
    while (!this.#stopping.signal.aborted) {
      const from = steady.now();
      const error: unknown = await this.#servers.connect(() => this.#follow()).catch((lost: unknown) => lost);
      changes.lose();
      if (this.#stopping.signal.aborted) return;
      pause = steady.now() - from > MAX_PAUSE_MS ? FIRST_PAUSE_MS : Math.min(2 * pause, MAX_PAUSE_MS);
      this.#report(error, pause);
      await this.#pause(pause);
    }
  }

  /** Logs an error, but only once until the feed works again. */
  #report(error: unknown, retryMs: number): void {
    const fault = String(error);
    if (fault === this.#reported) return;
    this.#reported = fault;
    const text = 'the change feed is lost, so every lookup queries the database';
    this.#parts.log.warn({ err: error, retry_ms: retryMs }, text);
  }

  /** Listens on one connection. Throws when the connection is lost; returns when the feed is stopped. */
  async #follow(): Promise<void> {
    const socket = new Socket();
    const options = { ...connectionOptions(this.#servers), query_timeout: PATIENCE_MS, stream: () => socket };
    const client = new (clientOf(this.#servers, () => options))();
    const lost = new Promise<never>((_resolve, reject) => {
      client.on('error', reject);
      client.on('end', () => reject(new FeedError('the connection of the change feed has ended')));
    });
    lost.catch(() => undefined);
    try {
      await client.connect();
      await Promise.race([lost, this.#listen(client)]);
    } finally {
      void client.end().catch(() => undefined);
      socket.destroySoon();
      setTimeout(() => socket.destroy(), PATIENCE_MS).unref();
    }
  }

  async #listen(client: pg.Client): Promise<void> {
    const { changes, database, log } = this.#parts;
    const echo = new Echo();
    client.on('notification', ({ channel, payload = EVERYTHING }) => {
      if (channel === echo.channel) echo.hear(payload);
      else changes.tell(payload);
    });
    await requireDirect(client);
    await client.query(`listen ${CHANNEL}; listen ${echo.channel}`);
    await within(
      echo.of(async (word) => database.announce?.(echo.channel, word)),
      PATIENCE_MS,
      () =>
        new FeedError(
          'a message sent through DATABASE_URL does not arrive at DATABASE_LISTEN_URL; both must reach the same database',
        ),
    );
    changes.tell(EVERYTHING);
    log.info({}, 'the change feed is alive');
    this.#reported = undefined;
    while (!this.#stopping.signal.aborted) {
      await this.#beat(client, echo);
      await this.#pause(BEAT_EVERY_MS);
    }
  }

  /**
   * Sends a heartbeat, and confirms the known changes when it comes back. PostgreSQL delivers notifications in commit order, so
   * by then every earlier commit has been reported.
   */
  async #beat(client: pg.Client, echo: Echo): Promise<void> {
    const moment = this.#parts.changes.moment();
    const send = (word: string) => client.query('select pg_notify($1, $2)', [echo.channel, word]);
    await within(echo.of(send), PATIENCE_MS, () => new FeedError('the change feed did not answer its heartbeat'));
    this.#parts.changes.confirm(moment);
  }
}

/**
 * Follows the changes in a PostgreSQL database on a separate connection while the process serves.
 *
 * A connection can break without an error. So the process sends a heartbeat twice a second by NOTIFY, as triggers
 * report changes. Only when the heartbeat comes back, all changes until then are known. A server that lost its standbys
 * and can no longer commit sends no heartbeat back.
 *
 * @returns the function that stops the feed
 */
export function startChangeFeed(parts: FeedParts): () => Promise<void> {
  const feed = new Feed(parts);
  return () => feed.stop();
}
