/** Runs work that no reply waits for. The process waits for this work before it exits. */
export interface Background {
  /**
   * Runs `work` after the current turn of the event loop. A call is ignored if work with the same key already waits
   * or runs. Failures are reported only to `onFailure`.
   */
  run(key: string, work: () => Promise<unknown>): void;
  /** Waits until all work is done. */
  finish(): Promise<void>;
}

/** Creates the runner of background work. */
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
