import type { Clock } from '../lib/clock.ts';
import { endOfTurn } from '../lib/end-of-turn.ts';

/**
 * Cached answers are used only if this process was certain, at most this many milliseconds ago, that it knew every
 * change.
 */
export const BOUND_MS = 2000;

/** The tables that are cached by row, with the columns that cached answers contain. */
export const watchedColumns = {
  sessions: ['id', 'user_id', 'created_at', 'expires_at'],
  users: ['id', 'username', 'full_name', 'role', 'allowed_apps', 'image', 'deactivated_at', 'email'],
  api_tokens: ['id', 'user_id', 'token_hash', 'scope', 'allowed_apps', 'expires_at'],
  oidc_grants: ['id', 'session_id', 'expires_at'],
} as const;
/** Tables that are cached as a whole, so that a new row changes the cached answer too. */
export const wholeTables = ['applications', 'oidc_keys', 'webhooks'] as const;

/** A changed row as `TABLE ID`. `TABLE *` means any row of that table. `*` means that any row may have changed. */
export type Change = string;
export const anyRowOf = (table: (typeof wholeTables)[number]): Change => `${table} *`;
export const EVERYTHING: Change = '*';

/** Two clocks, because neither is reliable alone: `clock` can be set, and `steady` stops while the machine sleeps. */
export interface Clocks {
  clock: Clock;
  steady: Clock;
}

/** One moment as both clocks show it. */
export interface Moment {
  steady: number;
  wall: number;
}

/**
 * Tracks which rows have changed in the database, whichever process changed them. This base class learns of no changes, so
 * with it nothing is cached.
 */
export class Changes {
  readonly steady: Clock;
  readonly #listeners: ((change: Change) => void)[] = [];
  #generation = 0;

  constructor(steady: Clock) {
    this.steady = steady;
  }

  /** Grows by one with each change. An answer must not be cached if this number has changed since it was read. */
  get generation(): number {
    return this.#generation;
  }

  /**
   * Waits until the end of this turn of the event loop, when reads of an SQLite file are executed too. After that,
   * every change that was committed before the call is known.
   */
  arrive(): Promise<void> {
    return endOfTurn();
  }

  /** Whether a cached answer may miss a change that was committed before the caller asked for the answer. */
  get mayLag(): boolean {
    return false;
  }

  /** Returns how many milliseconds ago this process last certainly knew every change; infinity if it never did. */
  lagMs(): number {
    return Number.POSITIVE_INFINITY;
  }

  /** Returns whether cached answers may be used now. */
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
 * Changes that a feed reports, as PostgreSQL's feed does.
 *
 * Cached answers may be used only if it was certain within the last BOUND_MS that every change had arrived. So a lost feed
 * needs no detection: without confirmations, the time runs out. Both clocks are compared, because one stops while a
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

  /** Confirms that every change committed before this moment has arrived. */
  confirm(moment: Moment): void {
    this.#confirmed = moment;
  }

  /** Notes that changes may have been missed. Cached answers may be used only after the next confirmation. */
  lose(): void {
    this.#confirmed = undefined;
    this.tell(EVERYTHING);
  }
}

/**
 * Changes of an SQLite file. This process's own connection reports each row that it changes. Other connections report
 * nothing. So the file is checked before a cached answer is used, and a commit of another connection clears the cache.
 *
 * @param version returns a number that changes with each commit of another connection; throws if the file can't be read
 */
export class SeenChanges extends Changes {
  readonly #version: () => number;
  #seen: number | undefined;
  #look: Promise<void> | undefined;

  constructor(version: () => number, steady: Clock) {
    super(steady);
    this.#version = version;
  }

  /** Checks the file at the end of the turn. All lookups of one turn share the check. */
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
      // The file cannot be read. The lookup then asks the database and gets an error that says what is wrong.
      this.#seen = undefined;
    }
    if (this.#seen !== before) this.tell(EVERYTHING);
  }
}
