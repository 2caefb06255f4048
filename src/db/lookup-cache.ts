import { LRUCache } from 'lru-cache';
import { MINUTE_MS } from '../lib/clock.ts';
import { type Change, type Changes, EVERYTHING } from './changes.ts';

const MAX_KEPT = 20_000;
/** Maximum age of a cached answer. It limits the damage if an operator has disabled the triggers that report changes. */
const MAX_AGE_MS = MINUTE_MS;

interface Entry<V> {
  value: V;
  keptAt: number;
  /** The rows from which the answer was read. */
  rows: readonly Change[];
}

/** An answer, and the rows from which it was read. */
export interface Answer<V> {
  value: V;
  rows: readonly Change[];
}

interface Question<V> {
  read(): Promise<Answer<V> | undefined>;
  onRead: (() => void) | undefined;
  /** Whether a cached answer is acceptable. */
  mayUseKept: boolean;
}

/** Finds answers to one kind of database query. */
export interface Lookup<V> {
  /**
   * @param read reads the answer from the database; undefined ("not found") is never cached
   * @param onRead called if the cache has no answer, even if a concurrent call with the same key reads it
   */
  find(key: string, read: () => Promise<Answer<V> | undefined>, onRead?: () => void): Promise<V | undefined>;
}

/**
 * Caches the answers to one kind of lookup until one of the rows of an answer changes.
 *
 * A cached answer is used only while this process learns of every change. If a row changes while an answer is being read,
 * the answer is not cached.
 */
export class LookupCache<V> implements Lookup<V> {
  /** Never returns an answer that is older than the call. Reads the database if the cache may miss a recent change. */
  readonly certain: Lookup<V>;
  readonly #changes: Changes;
  readonly #entries: LRUCache<string, Entry<V>>;
  readonly #keysOfRow = new Map<Change, Set<string>>();
  /** Reads that started in this turn of the event loop. Calls of the same turn with the same key share one read. */
  readonly #reads = new Map<string, Promise<Answer<V> | undefined>>();

  constructor(changes: Changes, max = MAX_KEPT) {
    this.#changes = changes;
    this.certain = { find: (key, read, onRead) => this.#find(key, { read, onRead, mayUseKept: !changes.mayLag }) };
    this.#entries = new LRUCache({ max, dispose: (entry, key) => this.#unlink(entry, key) });
    changes.onChange((change) => this.#evict(change));
  }

  /** Returns an answer from the cache, or reads it. Resolves after the current turn of the event loop at the earliest. */
  find(key: string, read: () => Promise<Answer<V> | undefined>, onRead?: () => void): Promise<V | undefined> {
    return this.#find(key, { read, onRead, mayUseKept: true });
  }

  async #find(key: string, { read, onRead, mayUseKept }: Question<V>): Promise<V | undefined> {
    const changes = this.#changes;
    await changes.arrive();
    const isKnown = changes.areKnown();
    const entry = isKnown && mayUseKept ? this.#entries.get(key) : undefined;
    if (entry && changes.steady.now() - entry.keptAt < MAX_AGE_MS) return entry.value;
    const { generation } = changes;
    onRead?.();
    const answer = await this.#read(key, read);
    if (answer && isKnown && generation === changes.generation) this.#keep(key, answer);
    return answer?.value;
  }

  /**
   * Calls of one turn can share a read. It starts at the end of the turn, so the answer is not older than any of the
   * calls.
   */
  #read(key: string, read: () => Promise<Answer<V> | undefined>): Promise<Answer<V> | undefined> {
    const begun = this.#reads.get(key);
    if (begun) return begun;
    if (this.#reads.size === 0) setImmediate(() => this.#reads.clear());
    const begins = read();
    this.#reads.set(key, begins);
    return begins;
  }

  #keep(key: string, { value, rows }: Answer<V>): void {
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
