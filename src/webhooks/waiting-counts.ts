import type { Transaction } from '../db/handle.ts';
import { SECOND_MS, steadyClock } from '../lib/clock.ts';
import { countWaiting } from './queries.ts';

const KEPT_MS = SECOND_MS;

interface Count {
  count: number;
  readAt: number;
}

/**
 * How many deliveries wait for each webhook. What the database said is kept for a second, and what this process added since
 * counts too. Otherwise each event would count ten thousand rows of a receiver that is dead.
 */
export class WaitingCounts {
  readonly #counts = new Map<number, Count>();

  /** Returns how many waited for each of these webhooks, and adds one to each. */
  async add(tx: Transaction, ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
    const now = steadyClock.now();
    const isKnown = (id: number) => now - (this.#counts.get(id)?.readAt ?? Number.NEGATIVE_INFINITY) < KEPT_MS;
    const unknown = ids.filter((id) => !isKnown(id));
    const rows = unknown.length > 0 ? await countWaiting.all(tx, { ids: unknown }) : [];
    for (const { id, count } of rows) this.#counts.set(id, { count: Number(count), readAt: now });
    const before = new Map(ids.map((id) => [id, this.#counts.get(id)?.count ?? 0]));
    for (const [id, count] of before) {
      const known = this.#counts.get(id);
      if (known) known.count = count + 1;
    }
    return before;
  }
}
