/**
 * A bounded number of units that clients hold for as long as they like, such as connections. Beyond the bound, the client
 * that holds the most loses its oldest one, so that a newcomer always gets in.
 */
export class Crowd<Unit> {
  readonly #capacity: number;
  readonly #held = new Map<string, Set<Unit>>();
  #size = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#size;
  }

  add(client: string, unit: Unit): void {
    const units = this.#held.get(client) ?? new Set();
    if (units.has(unit)) return;
    this.#held.set(client, units.add(unit));
    this.#size += 1;
  }

  /** Does nothing if the unit is not there. */
  remove(client: string, unit: Unit): void {
    const units = this.#held.get(client);
    if (!units?.delete(unit)) return;
    this.#size -= 1;
    if (units.size === 0) this.#held.delete(client);
  }

  /**
   * @param mayLeave whether a unit can be given up at the moment
   * @returns while there are too many units: the one to give up, unless the client that holds the most needs all of its
   *   own; the caller removes it
   */
  surplus(mayLeave: (unit: Unit) => boolean = () => true): Unit | undefined {
    if (this.#size <= this.#capacity) return undefined;
    let largest: Set<Unit> = new Set();
    for (const units of this.#held.values()) if (units.size > largest.size) largest = units;
    for (const unit of largest) if (mayLeave(unit)) return unit;
    return undefined;
  }
}
