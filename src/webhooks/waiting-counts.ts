import type { Transaction } from '../db/handle.ts';
import { SECOND_MS, steadyClock } from '../lib/clock.ts';
import { countWaiting } from './queries.ts';

const KEPT_MS = SECOND_MS;

interface Count {
  count: number;
  readAt: number;
}

/**
 * Counts the deliveries that wait for each webhook. A count from the database is reused for one second, and this process
 * adds its own new deliveries to it. Without this cache, every event would count up to ten thousand waiting rows of a
 * webhook whose receiver is down.
 */
export class WaitingCounts {
  readonly #counts = new Map<number, Count>();

  /** Returns how many deliveries waited for each of these webhooks, and adds one to each count. */
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
