/** A client may take another unit while it holds fewer units than this fraction of the free ones. */
const PART_OF_FREE = 1 / 4;

/**
 * Divides a limited resource among competing clients. Its units are released soon after they are taken.
 *
 * A client may take a unit only while it holds fewer units than a quarter of the free ones. So a single client gets
 * at most a fifth of all units, and less when there are other clients. A few clients can therefore never take
 * everything.
 *
 * @see Choudhury and Hahne, Dynamic queue length thresholds for shared-memory packet switches (1998)
 */
export class Shares {
  readonly #capacity: number;
  readonly #held = new Map<string, number>();
  #taken = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get taken(): number {
    return this.#taken;
  }

  /** @returns whether the client got a unit */
  take(client: string): boolean {
    const held = this.#held.get(client) ?? 0;
    if (held >= (this.#capacity - this.#taken) * PART_OF_FREE) return false;
    this.#held.set(client, held + 1);
    this.#taken += 1;
    return true;
  }

  /** Releases a unit that the client holds. */
  release(client: string): void {
    const held = this.#held.get(client) ?? 0;
    if (held > 1) this.#held.set(client, held - 1);
    else this.#held.delete(client);
    this.#taken -= 1;
  }
}
