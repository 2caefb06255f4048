import { setImmediate, setTimeout } from 'node:timers/promises';
import { SECOND_MS } from '../lib/clock.ts';

/** For requests that are on their way when the process is asked to stop, in the network or in the kernel. */
const GRACE_MS = 300;

/** The stop of a process, from the moment in which it is asked to. */
export interface Stopping {
  /** Whether the process was asked to stop. */
  isStopping(): boolean;
  /**
   * Serves on for a while: readiness says no, and each reply closes its connection. Load balancers and clients move
   * elsewhere meanwhile, so that the end of the listener cuts no one off.
   *
   * @param seconds how long; a moment at least
   * @see RFC 9112 §9.6
   */
  drain(seconds: number): Promise<void>;
}

export function createStopping(): Stopping {
  let isAsked = false;
  return {
    isStopping: () => isAsked,
    drain: async (seconds) => {
      isAsked = true;
      await setTimeout(Math.max(GRACE_MS, seconds * SECOND_MS));
      // Right after the event loop has taken what the kernel had.
      await setImmediate();
    },
  };
}
