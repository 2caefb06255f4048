/** A source of the current time. Tests use their own. */
export interface Clock {
  /** Milliseconds since the epoch, UTC. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** A monotonic clock. It cannot be set, and it stops while the machine sleeps. */
export const steadyClock: Clock = { now: () => performance.now() };

export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/**
 * How far the clocks of several machines may differ. If a stored time is further in the future, a clock was wrong
 * when it was stored.
 */
export const CLOCK_TOLERANCE_MS = 60 * SECOND_MS;

/**
 * Returns whether something happened less than `ms` ago. Returns false for a time so far in the future that only a
 * wrong clock can explain it.
 */
export const isRecent = (at: number, { now, ms }: { now: number; ms: number }): boolean =>
  at <= now + CLOCK_TOLERANCE_MS && now - at < ms;
