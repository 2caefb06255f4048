import { LRUCache } from 'lru-cache';
import { MINUTE_MS } from '../lib/clock.ts';
import { type Change, type Changes, EVERYTHING } from './changes.ts';

const MAX_KEPT = 20_000;
/** An answer is read again after this long, because an operator can disable triggers. */
const MAX_AGE_MS = MINUTE_MS;

interface Entry<V> {
  value: V;
  keptAt: number;
  /** The rows that the answer was read from. */
  rows: readonly Change[];
}

/** An answer, and the rows that it was read from. */
export interface Answer<V> {
  value: V;
  rows: readonly Change[];
}

interface Question<V> {
  read(): Promise<Answer<V> | undefined>;
  onRead: (() => void) | undefined;
  /** Whether an answer from memory is good enough. */
  mayUseKept: boolean;
}

/** Finds the answers to one kind of database question. */
export interface Lookup<V> {
  /**
   * @param read asks the database; undefined ("not found") is never cached
   * @param onRead called when memory has no answer, also if another question reads it
   */
  find(key: string, read: () => Promise<Answer<V> | undefined>, onRead?: () => void): Promise<V | undefined>;
}

/**
 * Caches the answers to one kind of lookup until one of their rows changes.
 *
 * An answer is used only while every change is known. An answer that was read before a change is not cached after it.
 */
export class LookupCache<V> implements Lookup<V> {
  /** Answers that are true at a moment after the question: reads the database where the cache may lag behind it. */
  readonly certain: Lookup<V>;
  readonly #changes: Changes;
  readonly #entries: LRUCache<string, Entry<V>>;
  readonly #keysOfRow = new Map<Change, Set<string>>();
  /** Reads that began in this turn of the event loop. Equal questions of the turn share one. */
  readonly #reads = new Map<string, Promise<Answer<V> | undefined>>();

  constructor(changes: Changes, max = MAX_KEPT) {
    this.#changes = changes;
    this.certain = { find: (key, read, onRead) => this.#find(key, { read, onRead, mayUseKept: !changes.mayLag }) };
    this.#entries = new LRUCache({ max, dispose: (entry, key) => this.#unlink(entry, key) });
    changes.onChange((change) => this.#evict(change));
  }

  /** Returns an answer from the cache, or reads it. Resolves at the end of the turn of the event loop. */
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

  /** The questions of one turn were asked before its end, so a read that begins then is true for all of them. */
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
