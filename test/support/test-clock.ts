import type { Clock } from '../../src/lib/clock.ts';

export interface TestClock extends Clock {
  /** Moves the time forward by this many milliseconds. */
  advance(ms: number): void;
}

/** Creates a clock that runs like the real one and can be moved forward. */
export function testClock(): TestClock {
  let ahead = 0;
  return {
    now: () => Date.now() + ahead,
    advance: (ms) => {
      ahead += ms;
    },
  };
}
