import type { Database } from '../db/handle.ts';
import { CLOCK_TOLERANCE_MS, type Clock, SECOND_MS } from '../lib/clock.ts';
import { newUuid } from '../lib/random.ts';
import { endTurn, takeTurn } from './queries.ts';

/** How long a turn lasts. It is renewed while its process sends. So if a process dies, another one soon takes over. */
const HELD_MS = 5 * SECOND_MS;
const RENEW_MS = 2 * SECOND_MS;
const ASK_AGAIN_MS = SECOND_MS / 2;

interface TurnParts {
  database: Database;
  clock: Clock;
  /** Name of the kind of messages that the holder of the turn may send. */
  name: string;
  /** Returns whether there may be something to send. If not, the turn is not taken. */
  isNeeded(): Promise<boolean>;
  /** Called each time this process takes or renews the turn. */
  onHeld?(isNew: boolean): Promise<void>;
}

/** Lets only one process at a time send messages of one kind. */
export class Turn {
  readonly #parts: TurnParts;
  readonly holder = newUuid();
  #isHeld = false;
  #renewedAt = 0;
  #askAt = 0;

  constructor(parts: TurnParts) {
    this.#parts = parts;
  }

  /** Returns whether this process may send now. Takes the turn if no other process has it. */
  async isMine(): Promise<boolean> {
    const { database, clock, name, isNeeded, onHeld } = this.#parts;
    const now = clock.now();
    const waits = this.#askAt - now;
    // A wait of more than RENEW_MS means that the clock was set back.
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

  /** Releases the turn, so that another process can take it at once. */
  async end(): Promise<void> {
    const { database, name } = this.#parts;
    if (this.#isHeld) await endTurn.run(database, { name, holder: this.holder });
    this.#isHeld = false;
  }
}
