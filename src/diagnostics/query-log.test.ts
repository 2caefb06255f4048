import { expect, test } from 'vitest';
import { createQueryLog, MAX_QUERIES } from './query-log.ts';

const query = { name: 'things.find', sql: 'select ?', values: ['x'], params: { hash: 'x' } };

function setUp() {
  const log = createQueryLog({ clock: { now: () => 1000 }, currentRequest: () => undefined });
  return { log, observer: log.observe(() => ({ total: 1, idle: 1, waiting: 0 })) };
}

test('a query returns its result or error unchanged, and both are logged', async () => {
  const { log, observer } = setUp();
  const failure = new Error('broken x');

  expect(await observer.watch(query, async () => 'rows')).toBe('rows');
  await expect(observer.watch(query, () => Promise.reject(failure))).rejects.toBe(failure);

  expect(log.recent(10)).toMatchObject([
    { number: 2, name: 'things.find', error: 'broken [hidden]' },
    { number: 1, at: 1000, sql: 'select ?', values: ['[hidden]'], error: null, pool: { total: 1 } },
  ]);
});

test('only the latest queries are kept, but all are counted', async () => {
  const { log, observer } = setUp();
  for (let i = 0; i < MAX_QUERIES + 5; i += 1) await observer.watch(query, async () => i);

  expect(log.totals().count).toBe(MAX_QUERIES + 5);
  expect(log.recent(MAX_QUERIES * 2)).toHaveLength(MAX_QUERIES);
  expect(log.recent(2).map(({ number }) => number)).toEqual([MAX_QUERIES + 5, MAX_QUERIES + 4]);
});

test('the totals include failures and the slowest query even after these are dropped from the log', async () => {
  const { log, observer } = setUp();
  await observer.watch(query, () => Promise.reject(new Error('broken'))).catch(() => undefined);
  await observer.watch(query, () => new Promise((resolve) => setTimeout(resolve, 60)));
  const slowest = log.recent(1)[0]?.durationMs ?? 0;
  for (let i = 0; i < MAX_QUERIES; i += 1) await observer.watch(query, async () => i);

  expect(slowest).toBeGreaterThan(50);
  expect(log.recent(MAX_QUERIES).some(({ error }) => error !== null)).toBe(false);
  expect(log.totals()).toEqual({ count: MAX_QUERIES + 2, failed: 1, longestMs: slowest });
});

test('a reset removes all queries and sets the count to 0', async () => {
  const { log, observer } = setUp();
  await observer.watch(query, async () => 1);

  log.reset();

  expect([log.totals(), log.recent(10)]).toEqual([{ count: 0, failed: 0, longestMs: 0 }, []]);
});
