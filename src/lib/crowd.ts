/**
 * A limited number of units that clients may hold for any time, such as connections. Beyond the limit, the client
 * with the most units loses its oldest one, so that a new client always gets a unit.
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

  /**
   * Returns whether a client can add a unit. If no unit is free, it can take one from a client that has at least
   * two units more.
   */
  hasRoom(client: string): boolean {
    if (this.#size < this.#capacity) return true;
    const own = this.#held.get(client)?.size ?? 0;
    return [...this.#held.values()].some(({ size }) => size > own + 1);
  }

  add(client: string, unit: Unit): void {
    const units = this.#held.get(client) ?? new Set();
    if (units.has(unit)) return;
    this.#held.set(client, units.add(unit));
    this.#size += 1;
  }

  has(client: string, unit: Unit): boolean {
    return this.#held.get(client)?.has(unit) ?? false;
  }

  *[Symbol.iterator](): Iterator<Unit> {
    for (const units of this.#held.values()) yield* units;
  }

  /** Removes a unit. Does nothing if the client does not hold it. */
  remove(client: string, unit: Unit): void {
    const units = this.#held.get(client);
    if (!units?.delete(unit)) return;
    this.#size -= 1;
    if (units.size === 0) this.#held.delete(client);
  }

  /**
   * Returns the unit to remove if there are too many: the oldest removable unit of the client with the most units.
   * The caller must remove it.
   *
   * @param mayLeave returns whether a unit can be removed at the moment
   * @returns undefined if there are not too many units, or if no unit of that client can be removed
   */
  surplus(mayLeave: (unit: Unit) => boolean = () => true): Unit | undefined {
    if (this.#size <= this.#capacity) return undefined;
    let largest: Set<Unit> = new Set();
    for (const units of this.#held.values()) if (units.size > largest.size) largest = units;
    for (const unit of largest) if (mayLeave(unit)) return unit;
    return undefined;
  }
}
