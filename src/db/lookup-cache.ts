import { LRUCache } from 'lru-cache';
import { MINUTE_MS } from '../lib/clock.ts';
import { type Change, type Changes, EVERYTHING } from './changes.ts';

const MAX_KEPT = 20_000;
/** Read anew after this long, even when nobody told of a change: triggers can be switched off by an operator. */
const MAX_AGE_MS = MINUTE_MS;

interface Entry<V> {
  value: V;
  keptAt: number;
  /** The rows that it was read from. */
  rows: readonly Change[];
}

/**
 * Answers of one kind of question to the database, kept until one of their rows changes.
 *
 * Why     `get` answers only while the changes are known; otherwise the caller asks the database. `begin` comes before
 *         the question and `keep` behind its answer: what was read before a change is not kept after it.
 */
export class LookupCache<V> {
  readonly #changes: Changes;
  readonly #entries: LRUCache<string, Entry<V>>;
  readonly #keysOfRow = new Map<Change, Set<string>>();

  constructor(changes: Changes, most = MAX_KEPT) {
    this.#changes = changes;
    this.#entries = new LRUCache({ max: most, dispose: (entry, key) => this.#unlink(entry, key) });
    changes.onChange((change) => this.#evict(change));
  }

  /** Answers at the end of the turn. */
  async get(key: string): Promise<V | undefined> {
    await this.#changes.arrive();
    if (!this.#changes.areKnown()) return undefined;
    const entry = this.#entries.get(key);
    if (!entry || this.#changes.steady.now() - entry.keptAt >= MAX_AGE_MS) return undefined;
    return entry.value;
  }

  /** What `keep` needs; undefined while nothing may be kept. */
  begin(): number | undefined {
    return this.#changes.areKnown() ? this.#changes.generation : undefined;
  }

  /** Keeps an answer that was read from these rows, unless anything has changed since `begun`. */
  keep(begun: number | undefined, key: string, { value, rows }: { value: V; rows: readonly Change[] }): void {
    if (begun !== this.#changes.generation) return;
    this.#entries.set(key, { value, rows, keptAt: this.#changes.steady.now() });
    for (const row of rows) {
      const keys = this.#keysOfRow.get(row) ?? new Set();
      this.#keysOfRow.set(row, keys.add(key));
    }
  }

  #unlink({ rows }: Entry<V>, key: string): void {
    for (const row of rows) {
      const keys = this.#keysOfRow.get(row);
      keys?.delete(key);
      if (keys?.size === 0) this.#keysOfRow.delete(row);
    }
  }

  #evict(change: Change): void {
    if (change === EVERYTHING) this.#entries.clear();
    else for (const key of [...(this.#keysOfRow.get(change) ?? [])]) this.#entries.delete(key);
  }
}

/** Makes the caches of one kind of question: one for each database that a process has open. */
export function lookupCaches<V>(): (changes: Changes) => LookupCache<V> {
  const caches = new WeakMap<Changes, LookupCache<V>>();
  return (changes) => {
    const cache = caches.get(changes) ?? new LookupCache<V>(changes);
    caches.set(changes, cache);
    return cache;
  };
}
