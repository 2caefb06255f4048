import type { Clock } from '../lib/clock.ts';
import { endOfTurn } from '../lib/end-of-turn.ts';

/** How old a cached answer can be: at most this long ago, every change was known. */
export const BOUND_MS = 2000;

/** The tables that cached answers come from, with the columns that matter to them. */
export const watchedColumns = {
  sessions: ['id', 'user_id', 'created_at', 'expires_at'],
  users: ['id', 'username', 'full_name', 'role', 'allowed_apps', 'image', 'deactivated_at', 'email'],
  api_tokens: ['id', 'user_id', 'token_hash', 'scope', 'allowed_apps', 'expires_at'],
  oidc_grants: ['id', 'session_id', 'expires_at'],
} as const;
/** Tables that are cached as a whole, so that new rows matter too. */
export const wholeTables = ['applications', 'oidc_keys', 'webhooks'] as const;

/** A changed row, as `TABLE ID`; `TABLE *` for any row of a table; `*` for more rows than are named. */
export type Change = string;
export const anyRowOf = (table: (typeof wholeTables)[number]): Change => `${table} *`;
export const EVERYTHING: Change = '*';

/** `clock` can be set; `steady` stops while the machine sleeps. */
export interface Clocks {
  clock: Clock;
  steady: Clock;
}

/** A moment by both clocks. */
export interface Moment {
  steady: number;
  wall: number;
}

/**
 * What this process knows about changes in the database, by any process. This base class knows nothing, so lookups
 * cache nothing.
 */
export class Changes {
  readonly steady: Clock;
  readonly #listeners: ((change: Change) => void)[] = [];
  #generation = 0;

  constructor(steady: Clock) {
    this.steady = steady;
  }

  /** Grows with every change: an answer that was read under an older number must not be cached. */
  get generation(): number {
    return this.#generation;
  }

  /**
   * Waits for the end of this turn of the event loop, when reads of an SQLite file are answered too. Every change that
   * is committed by then is known.
   */
  arrive(): Promise<void> {
    return endOfTurn();
  }

  /** Whether a cached answer may be older than a change that was committed before it was asked for. */
  get mayLag(): boolean {
    return false;
  }

  /** How long ago it was certain that every change had arrived, in milliseconds; infinite if that is not known. */
  lagMs(): number {
    return Number.POSITIVE_INFINITY;
  }

  /** Tells whether cached answers may be used now. */
  areKnown(): boolean {
    return this.lagMs() < BOUND_MS;
  }

  tell(change: Change): void {
    this.#generation += 1;
    for (const listener of this.#listeners) listener(change);
  }

  onChange(listener: (change: Change) => void): void {
    this.#listeners.push(listener);
  }
}

/**
 * Changes that a feed brings, as from PostgreSQL.
 *
 * Cached answers may be used only while `areKnown`: at most BOUND_MS ago it was certain that every change had arrived.
 * The loss of the feed needs no detection, because the time simply passes. Both clocks count, because one stops while a
 * machine sleeps and the other can be set.
 */
export class FedChanges extends Changes {
  readonly #clock: Clock;
  #confirmed: Moment | undefined;

  constructor({ clock, steady }: Clocks) {
    super(steady);
    this.#clock = clock;
  }

  override get mayLag(): boolean {
    return true;
  }

  override lagMs(): number {
    const confirmed = this.#confirmed;
    if (!confirmed) return Number.POSITIVE_INFINITY;
    return Math.max(this.steady.now() - confirmed.steady, Math.abs(this.#clock.now() - confirmed.wall));
  }

  moment(): Moment {
    return { steady: this.steady.now(), wall: this.#clock.now() };
  }

  /** Every change that was committed before that moment has arrived. */
  confirm(moment: Moment): void {
    this.#confirmed = moment;
  }

  /** Changes may have been missed: no cached answer may be used until the next confirmation. */
  lose(): void {
    this.#confirmed = undefined;
    this.tell(EVERYTHING);
  }
}

/**
 * Changes of an SQLite file. The connection of this process reports each row that it changes. Other connections do not,
 * so the file is checked before a cached answer is used, and each commit of another connection clears the cache.
 *
 * @param version gets a number that changes with each commit of another connection; throws if the file can't be read
 */
export class SeenChanges extends Changes {
  readonly #version: () => number;
  #seen: number | undefined;
  #look: Promise<void> | undefined;

  constructor(version: () => number, steady: Clock) {
    super(steady);
    this.#version = version;
  }

  /** All lookups of this turn share one check. */
  override arrive(): Promise<void> {
    this.#look ??= endOfTurn().then(() => {
      this.#look = undefined;
      this.#compare();
    });
    return this.#look;
  }

  override lagMs(): number {
    return this.#seen === undefined ? Number.POSITIVE_INFINITY : 0;
  }

  #compare(): void {
    const before = this.#seen;
    try {
      this.#seen = this.#version();
    } catch {
      // Then the lookup asks the database, and its error says what is wrong.
      this.#seen = undefined;
    }
    if (this.#seen !== before) this.tell(EVERYTHING);
  }
}
