/** Runs work of one key one after the other, and work of different keys at the same time. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /**
   * Runs `work` when all earlier work of the key has ended.
   *
   * A failure also fails the work that waits for it. Otherwise each piece of work would wait as long for an unavailable
   * database as the first one did.
   */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const done = (this.#last.get(key) ?? Promise.resolve()).then(work);
    this.#last.set(key, done);
    try {
      return await done;
    } finally {
      if (this.#last.get(key) === done) this.#last.delete(key);
    }
  }
}
