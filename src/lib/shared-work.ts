/** Work that is done once for all who ask for it while it goes on. */
export class SharedWork {
  #current: Promise<void> | undefined;

  run(work: () => Promise<void>): Promise<void> {
    this.#current ??= work().finally(() => {
      this.#current = undefined;
    });
    return this.#current;
  }
}
