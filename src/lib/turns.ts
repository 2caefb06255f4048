/** Lets work of one key run one after the other, and work of different keys side by side. */
export class Turns {
  readonly #last = new Map<string, Promise<void>>();

  /** Does `work` when all earlier work of the key has ended, well or not. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const done = (this.#last.get(key) ?? Promise.resolve()).then(work);
    const ended = done.then(
      () => undefined,
      () => undefined,
    );
    this.#last.set(key, ended);
    try {
      return await done;
    } finally {
      if (this.#last.get(key) === ended) this.#last.delete(key);
    }
  }
}
