import { expect, test } from 'vitest';
import { CheckCounts, countCheck, Histogram, Tally } from './counts.ts';

test('a tally counts by label, and counts labels beyond its maximum as `other`', () => {
  const tally = new Tally(2);

  for (const label of ['a', 'b', 'a', 'c', 'd', 'b']) tally.add(label);
  tally.add('a', 0.5);

  expect(tally.entries()).toEqual([
    ['a', 2.5],
    ['b', 2],
    ['other', 2],
  ]);
});

test('a histogram counts a value for every bound that is equal or higher', () => {
  const histogram = new Histogram([1, 10, 100]);

  for (const value of [0, 1, 1.5, 10, 1000]) histogram.add(value);

  expect(histogram.read()).toEqual({
    below: [
      [1, 2],
      [10, 4],
      [100, 4],
    ],
    count: 5,
    sum: 1012.5,
  });
});

test('checks are counted as valid, invalid or error, separately for each source of the answer', async () => {
  const counts = new CheckCounts();
  const lookup: { source: 'memory' | 'database' } = { source: 'memory' };

  await countCheck(counts, lookup, async () => 1);
  lookup.source = 'database';
  await countCheck(counts, lookup, async () => undefined);
  const failed = countCheck(counts, lookup, async () => {
    throw new Error('away');
  });

  await expect(failed).rejects.toThrow('away');
  expect(counts.entries().filter(({ count }) => count > 0)).toEqual([
    { answer: 'valid', source: 'memory', count: 1 },
    { answer: 'invalid', source: 'database', count: 1 },
    { answer: 'error', source: 'database', count: 1 },
  ]);
});
