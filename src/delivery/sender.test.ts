import { expect, test } from 'vitest';
import { delayAfter } from './sender.ts';

test('a message that could not be sent is tried again after ten seconds, then after twice as long each time, up to an hour', () => {
  const seconds = [1, 2, 3, 4, 9, 10, 40].map((attempts) => delayAfter(attempts) / 1000);

  expect(seconds).toEqual([10, 20, 40, 80, 2560, 3600, 3600]);
});
