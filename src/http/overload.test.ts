import { expect, test } from 'vitest';
import { createLateness } from './overload.ts';

/**
 * Runs one check at each of these times in ms. Returns the result after each check.
 *
 * @param share the part of the time in which the process used the processor
 */
function looks(moments: readonly number[], share = 1): boolean[] {
  const lateness = createLateness();
  return moments.map((at) => {
    lateness.look({ at, cpu: at * share });
    return lateness.isLate();
  });
}

test('an event loop whose checks run on time is not overloaded', () => {
  expect(looks([0, 100, 210, 300, 1100])).toEqual([false, false, false, false, false]);
});

test('a single long step of the event loop does not count as overload', () => {
  expect(looks([0, 100, 5200, 5300])).toEqual([false, false, false, false]);
});

test('two long steps of the event loop in a row count as overload, until a step is on time again', () => {
  expect(looks([0, 1200, 2400, 3600, 3700])).toEqual([false, false, true, true, false]);
});

test('a clock that jumps or a machine that sleeps does not count as overload', () => {
  expect(looks([0, 5000, 10_000, 15_000], 0.02)).toEqual([false, false, false, false]);
});
