import { setImmediate, setTimeout } from 'node:timers/promises';
import { SECOND_MS } from '../lib/clock.ts';

/** For requests that are still in the network or in the kernel when the process is asked to stop. */
const GRACE_MS = 300;

/** The stop of a process, from the request to stop. */
export interface Stopping {
  /** Whether the process was asked to stop. */
  isStopping(): boolean;
  /**
   * Keeps serving for a while: readiness says no, and each reply closes its connection. Load balancers and clients
   * switch to other processes meanwhile, so that closing the listener interrupts no request.
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
      // First the event loop accepts the connections that wait in the kernel.
      await setImmediate();
    },
  };
}
