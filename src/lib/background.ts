/** Work that no reply waits for. The end of the process waits for it. */
export interface Background {
  /**
   * Runs `work` after the current reply. While work of the same key waits or runs, further calls are dropped. Only
   * `onFailure` learns of a failure.
   */
  run(key: string, work: () => Promise<unknown>): void;
  /** Waits until all work is done. */
  finish(): Promise<void>;
}

/** Creates a runner of background work. */
export function createBackground(onFailure: (error: unknown) => void): Background {
  const going = new Map<string, Promise<void>>();
  const doLater = async (key: string, work: () => Promise<unknown>): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    try {
      await work();
    } catch (error) {
      onFailure(error);
    } finally {
      going.delete(key);
    }
  };
  return {
    run: (key, work) => {
      if (!going.has(key)) going.set(key, doLater(key, work));
    },
    finish: async () => {
      while (going.size > 0) await Promise.all(going.values());
    },
  };
}
