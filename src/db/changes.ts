import type { Clock } from '../kit/clock.ts';

/** How old an answer out of memory can be: this long ago at most every change was known. */
export const BOUND_MS = 2000;

/** A row that was changed, as `TABLE ID`; or `*` for more than can be named. */
export type Change = string;
export const EVERYTHING: Change = '*';

/** A moment by both clocks. */
export interface Moment {
  steady: number;
  wall: number;
}

/**
 * What this process knows of changes in the database, whoever makes them.
 *
 * Why     an answer out of memory may be used only while `areKnown`: no longer than BOUND_MS ago it was certain that
 *         every change had arrived. Nobody has to notice that the feed is lost; time passes by itself. Both clocks
 *         are asked, because one stands still while a machine sleeps and the other can be set.
 */
export class Changes {
  readonly #clock: Clock;
  readonly #steady: Clock;
  readonly #listeners: ((change: Change) => void)[] = [];
  #generation = 0;
  #confirmed: Moment | undefined;

  constructor({ clock, steady }: { clock: Clock; steady: Clock }) {
    this.#clock = clock;
    this.#steady = steady;
  }

  /** Grows with every change: what was read under an older number may not be kept. */
  get generation(): number {
    return this.#generation;
  }

  areKnown(): boolean {
    const confirmed = this.#confirmed;
    return (
      confirmed !== undefined &&
      this.#steady.now() - confirmed.steady < BOUND_MS &&
      Math.abs(this.#clock.now() - confirmed.wall) < BOUND_MS
    );
  }

  moment(): Moment {
    return { steady: this.#steady.now(), wall: this.#clock.now() };
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

  tell(change: Change): void {
    this.#generation += 1;
    for (const listener of this.#listeners) listener(change);
  }

  onChange(listener: (change: Change) => void): void {
    this.#listeners.push(listener);
  }
}
