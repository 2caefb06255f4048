import type { Clock } from '../../src/lib/clock.ts';

export interface TestClock extends Clock {
  /** Moves the time on by so many milliseconds. */
  advance(ms: number): void;
}

/** A clock that runs like the real one and can be put ahead. */
export function testClock(): TestClock {
  let ahead = 0;
  return {
    now: () => Date.now() + ahead,
    advance: (ms) => {
      ahead += ms;
    },
  };
}
