import type { Clock } from '../lib/clock.ts';
import { endOfTurn } from '../lib/end-of-turn.ts';

/** How old an answer out of memory can be: this long ago at most every change was known. */
export const BOUND_MS = 2000;

/** A row that was changed, as `TABLE ID`; or `*` for more than can be named. */
export type Change = string;
export const EVERYTHING: Change = '*';

/** The one can be set, the other stands still while the machine sleeps. */
export interface Clocks {
  clock: Clock;
  steady: Clock;
}

/** A moment by both clocks. */
export interface Moment {
  steady: number;
  wall: number;
}

/** What this process knows of changes in the database, whichever process makes them: here nothing, so that nothing is kept. */
export class Changes {
  readonly steady: Clock;
  readonly #listeners: ((change: Change) => void)[] = [];
  #generation = 0;

  constructor(steady: Clock) {
    this.steady = steady;
  }

  /** Grows with every change: what was read under an older number may not be kept. */
  get generation(): number {
    return this.#generation;
  }

  /**
   * Waits for the end of this turn of the event loop, where reads of an SQLite file are answered too. What had been
   * committed there by then has been told.
   */
  arrive(): Promise<void> {
    return endOfTurn();
  }

  /** Whether answers out of memory may be used now. */
  areKnown(): boolean {
    return false;
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
 * Why     an answer out of memory may be used only while `areKnown`: no longer than BOUND_MS ago it was certain that
 *         every change had arrived. Nobody has to notice that the feed is lost; time passes by itself. Both clocks
 *         are asked, because one stands still while a machine sleeps and the other can be set.
 */
export class FedChanges extends Changes {
  readonly #clock: Clock;
  #confirmed: Moment | undefined;

  constructor({ clock, steady }: Clocks) {
    super(steady);
    this.#clock = clock;
  }

  override areKnown(): boolean {
    const confirmed = this.#confirmed;
    return (
      confirmed !== undefined &&
      this.steady.now() - confirmed.steady < BOUND_MS &&
      Math.abs(this.#clock.now() - confirmed.wall) < BOUND_MS
    );
  }

  moment(): Moment {
    return { steady: this.steady.now(), wall: this.#clock.now() };
  }

  /** Every change that was committed before that moment has arrived. */
  confirm(moment: Moment): void {
    this.#confirmed = moment;
  }

  /** Changes may have been missed: nothing that was read so far counts, until somebody confirms again. */
  lose(): void {
    this.#confirmed = undefined;
    this.tell(EVERYTHING);
  }
}

/**
 * Changes of a file that is looked at before each use of an answer.
 *
 * Needs   version: another number after each commit of anybody; throws when the file can't be looked at.
 */
export class SeenChanges extends Changes {
  readonly #version: () => number;
  #seen: number | undefined;
  #look: Promise<void> | undefined;

  constructor(version: () => number, steady: Clock) {
    super(steady);
    this.#version = version;
  }

  /** One look for all who wait in this turn. */
  override arrive(): Promise<void> {
    this.#look ??= endOfTurn().then(() => {
      this.#look = undefined;
      this.#compare();
    });
    return this.#look;
  }

  override areKnown(): boolean {
    return this.#seen !== undefined;
  }

  #compare(): void {
    const before = this.#seen;
    try {
      this.#seen = this.#version();
    } catch {
      // Whoever asks goes to the database itself then, which says what is wrong.
      this.#seen = undefined;
    }
    if (this.#seen !== before) this.tell(EVERYTHING);
  }
}
