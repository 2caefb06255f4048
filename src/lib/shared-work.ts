/**
 * Runs work once for all callers that request it with the same key at the same time. Work with another key runs
 * separately.
 */
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
