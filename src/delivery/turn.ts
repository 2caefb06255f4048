import type { Database } from '../db/handle.ts';
import { CLOCK_TOLERANCE_MS, type Clock, SECOND_MS } from '../lib/clock.ts';
import { newUuid } from '../lib/random.ts';
import { endTurn, takeTurn } from './queries.ts';

/** A turn is renewed while its process sends, so that another process soon takes over from one that died. */
const HELD_MS = 5 * SECOND_MS;
const RENEW_MS = 2 * SECOND_MS;
const ASK_AGAIN_MS = SECOND_MS / 2;

interface TurnParts {
  database: Database;
  clock: Clock;
  /** What it is the turn to send. */
  name: string;
  /** Whether there can be something to send; else no process takes the turn. */
  isNeeded(): Promise<boolean>;
  /** Called whenever this process has got the turn or renewed it. */
  onHeld?(isNew: boolean): Promise<void>;
}

/** Lets one process at a time send. */
export class Turn {
  readonly #parts: TurnParts;
  readonly holder = newUuid();
  #isHeld = false;
  #renewedAt = 0;
  #askAt = 0;

  constructor(parts: TurnParts) {
    this.#parts = parts;
  }

  /** Whether this process may send now. Takes the turn if no other process has it. */
  async isMine(): Promise<boolean> {
    const { database, clock, name, isNeeded, onHeld } = this.#parts;
    const now = clock.now();
    const waits = this.#askAt - now;
    // A longer wait comes from a clock that was set back.
    if (waits > 0 && waits <= RENEW_MS) return this.#isHeld;
    if (!(await isNeeded())) return false;
    const until = now + HELD_MS;
    const taken = await takeTurn.first(database, {
      name,
      holder: this.holder,
      now,
      until,
      latest: until + CLOCK_TOLERANCE_MS,
    });
    const wasHeld = this.#isHeld && now >= this.#renewedAt && now < this.#renewedAt + HELD_MS;
    if (taken) await onHeld?.(!wasHeld);
    this.#renewedAt = now;
    this.#isHeld = taken !== undefined;
    this.#askAt = now + (taken ? RENEW_MS : ASK_AGAIN_MS);
    return this.#isHeld;
  }

  /** Lets another process take over at once. */
  async end(): Promise<void> {
    const { database, name } = this.#parts;
    if (this.#isHeld) await endTurn.run(database, { name, holder: this.holder });
    this.#isHeld = false;
  }
}
