import { expect, test } from 'vitest';
import { createLateness } from './overload.ts';

/** Looks at a lateness at these moments, in ms; gives what it says after each. `share`: of the time it worked. */
function looks(moments: readonly number[], share = 1): boolean[] {
  const lateness = createLateness();
  return moments.map((at) => {
    lateness.look({ at, cpu: at * share });
    return lateness.isLate();
  });
}

test('an event loop on time is not late', () => {
  expect(looks([0, 100, 210, 300, 1100])).toEqual([false, false, false, false, false]);
});

test('one long step alone is no overload', () => {
  expect(looks([0, 100, 5200, 5300])).toEqual([false, false, false, false]);
});

test('two long steps in a row are, until the first one that is in time again', () => {
  expect(looks([0, 1200, 2400, 3600, 3700])).toEqual([false, false, true, true, false]);
});

test('a clock that jumps, or a machine that sleeps, is none', () => {
  expect(looks([0, 5000, 10_000, 15_000], 0.02)).toEqual([false, false, false, false]);
});
