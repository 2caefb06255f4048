import type { Found, Visitor } from './visitor.ts';

type Keys = Map<string | number, Set<string>>;

interface Entry {
  visitor: Visitor;
  ref: string;
}

/**
 * Cache of visitors. Drops the least recently used entry when it is full. Two indexes find the entries of one session or
 * token (`ref`), and those of one user.
 */
export class Answers {
  readonly #max: number;
  readonly #entries = new Map<string, Entry>();
  readonly #byRef: Keys = new Map();
  readonly #byUser: Keys = new Map();

  constructor(max: number) {
    this.#max = max;
  }

  /** Returns the visitor for a key, or undefined if there is none or the session or token has expired. */
  find(key: string): Visitor | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    const { expiresAt } = entry.visitor;
    if (expiresAt === null || expiresAt.getTime() > Date.now()) return entry.visitor;
    this.#drop(key);
    return undefined;
  }

  keep(key: string, { visitor, ref }: Found): void {
    if (ref === undefined) return;
    this.#drop(key);
    this.#entries.set(key, { visitor, ref });
    for (const [index, name] of this.#places(visitor, ref)) index.set(name, (index.get(name) ?? new Set()).add(key));
    const [oldest = ''] = this.#entries.keys();
    if (this.#entries.size > this.#max) this.#drop(oldest);
  }

  dropRef(ref: string): void {
    for (const key of [...(this.#byRef.get(ref) ?? [])]) this.#drop(key);
  }

  dropUser(userId: number): void {
    for (const key of [...(this.#byUser.get(userId) ?? [])]) this.#drop(key);
  }

  dropAll(): void {
    for (const kept of [this.#entries, this.#byRef, this.#byUser]) kept.clear();
  }

  #places({ userId }: Visitor, ref: string): [Keys, string | number][] {
    return [
      [this.#byRef, ref],
      [this.#byUser, userId],
    ];
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    for (const [index, name] of this.#places(entry.visitor, entry.ref)) {
      const keys = index.get(name);
      keys?.delete(key);
      if (keys?.size === 0) index.delete(name);
    }
  }
}
