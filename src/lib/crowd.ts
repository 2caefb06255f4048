/**
 * A limited number of units that clients may hold for any time, such as connections. Beyond the limit, the client with
 * the most units loses its oldest one, so that a new client always gets a unit.
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

  /** Whether a client can add a unit: if all are held, it takes one from a client that has more. */
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

  /** Does nothing if the unit is not there. */
  remove(client: string, unit: Unit): void {
    const units = this.#held.get(client);
    if (!units?.delete(unit)) return;
    this.#size -= 1;
    if (units.size === 0) this.#held.delete(client);
  }

  /**
   * @param mayLeave whether a unit can be removed at the moment
   * @returns the unit to remove if there are too many, unless the client with the most needs all of its own; the caller
   * removes it
   */
  surplus(mayLeave: (unit: Unit) => boolean = () => true): Unit | undefined {
    if (this.#size <= this.#capacity) return undefined;
    let largest: Set<Unit> = new Set();
    for (const units of this.#held.values()) if (units.size > largest.size) largest = units;
    for (const unit of largest) if (mayLeave(unit)) return unit;
    return undefined;
  }
}
