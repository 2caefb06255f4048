import { setImmediate, setTimeout } from 'node:timers/promises';
import { SECOND_MS } from '../lib/clock.ts';

/**
 * Minimum time that a stopping process keeps serving. When the process is asked to stop, requests may still be in
 * the network or in the kernel.
 */
const GRACE_MS = 300;

/** The state of a process that may have been asked to stop. */
export interface Stopping {
  /** Returns whether the process was asked to stop. */
  isStopping(): boolean;
  /**
   * Keeps serving for a while. During this time the readiness check fails, and each reply closes its connection.
   * Load balancers and clients switch to other processes, so that closing the listener interrupts no request.
   *
   * @param seconds how long; at least GRACE_MS is waited
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
      // Lets the event loop accept the connections that wait in the kernel.
      await setImmediate();
    },
  };
}
