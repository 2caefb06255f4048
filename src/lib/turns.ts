/** Runs work with the same key one after the other, and work with different keys at the same time. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /**
   * Runs `work` when all earlier work with the same key has ended.
   *
   * If earlier work fails, the work that waits for it fails too. Otherwise, while the database is unavailable, each
   * piece of work would wait for the database as long as the first one did.
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
