/** Work that is done once for all who ask for it while it goes on; work of different keys is done by itself. */
export class SharedWork<Key, Value> {
  readonly #current = new Map<Key, Promise<Value>>();

  run(key: Key, work: () => Promise<Value>): Promise<Value> {
    const known = this.#current.get(key);
    if (known) return known;
    const begun = work().finally(() => this.#current.delete(key));
    this.#current.set(key, begun);
    return begun;
  }
}
