/** Work that no reply waits for, and that the end of the process does. */
export interface Background {
  /**
   * Does `work` when the reply that is being made is out of the way. While work of the same key waits or goes on,
   * more of it is dropped. A failure is told to `onFailure` and to nobody else.
   */
  run(key: string, work: () => Promise<unknown>): void;
  /** Waits until all work is done. */
  finish(): Promise<void>;
}

/** Makes the keeper of such work. */
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
