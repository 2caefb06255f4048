/** The source of the time. Tests use their own. */
export interface Clock {
  /** Milliseconds since the epoch, UTC. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** A monotonic clock: it is never set, and stops while the machine sleeps. */
export const steadyClock: Clock = { now: () => performance.now() };

export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** How far the clocks of several machines may differ. A stored time further in the future comes from a wrong clock. */
export const CLOCK_TOLERANCE_MS = 60 * SECOND_MS;

/** Whether something happened less than `ms` ago. What a wrong clock put into the future did not. */
export const isRecent = (at: number, { now, ms }: { now: number; ms: number }): boolean =>
  at <= now + CLOCK_TOLERANCE_MS && now - at < ms;
