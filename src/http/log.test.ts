import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createLog } from './log.ts';

test('each line has the time at which it was logged, in ISO 8601', async () => {
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => lines.push(line) });
  const bounds = [Date.now()];

  for (let number = 0; number < 3; number += 1) {
    log.info({ number }, 'a line');
    await sleep(5);
    bounds.push(Date.now());
  }

  const times = lines.map((line): string => JSON.parse(line).time);
  expect(times.map((time) => new Date(time).toISOString())).toEqual(times);
  times.forEach((time, number) => {
    expect(Date.parse(time)).toBeGreaterThanOrEqual(bounds[number] ?? Number.NaN);
    expect(Date.parse(time)).toBeLessThanOrEqual(bounds[number + 1] ?? Number.NaN);
  });
});
