import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { type DatabaseKind, eachDatabase, freshDatabase } from '../../test/support/each-database.ts';
import type { Database } from '../db/handle.ts';
import { migrate } from '../db/migrate.ts';
import { openDatabase } from '../db/open.ts';
import { AppError } from '../errors/app-error.ts';
import { createRateLimiter, type Limit, noRateLimiter, type RateLimiter } from './rate-limit.ts';

const twoASecond: Limit = { name: 'two-a-second', points: 2, windowSeconds: 1, error: 'TOO_MANY_LOGINS' };
const threeAMinute: Limit = { name: 'three-a-minute', points: 3, windowSeconds: 60, error: 'TOO_MANY_REQUESTS' };

async function readyDatabase(kind: DatabaseKind): Promise<{ database: Database; drop: () => Promise<void> }> {
  const fresh = await freshDatabase(kind);
  const database = await openDatabase(fresh.url, { max: 5, isPatient: false, onTrouble: () => undefined });
  onTestFinished(async () => {
    await database.close();
    await fresh.drop();
  });
  await migrate(database);
  return { database, drop: fresh.drop };
}

/** What a request came to: how many are left, or the refusal. */
const ask = (limiter: RateLimiter, limit: Limit, key = 'a client'): Promise<number | AppError> =>
  limiter.consume(limit, key).then(
    ({ remaining }) => remaining,
    (error: unknown) => {
      if (error instanceof AppError) return error;
      throw error;
    },
  );

const codes = (answers: (number | AppError)[]) =>
  answers.map((answer) => (answer instanceof AppError ? answer.code : answer));

eachDatabase('a budget', (kind) => {
  test('goes down to nothing, is refused by its own error, and says when to come back', async () => {
    const limiter = createRateLimiter((await readyDatabase(kind)).database);

    const answers = [];
    for (let i = 0; i < 5; i += 1) answers.push(await ask(limiter, threeAMinute));

    expect(codes(answers)).toEqual([2, 1, 0, 'TOO_MANY_REQUESTS', 'TOO_MANY_REQUESTS']);
    const [refusal] = answers.slice(3);
    if (!(refusal instanceof AppError)) throw new Error('it was not refused');
    expect(refusal.parameters.limit).toBe(3);
    expect(refusal.parameters.retryAfterSeconds).toBeGreaterThan(50);
    expect(refusal.parameters.retryAfterSeconds).toBeLessThanOrEqual(60);
  });

  test('is one for each client and each limit', async () => {
    const limiter = createRateLimiter((await readyDatabase(kind)).database);
    for (let i = 0; i < 4; i += 1) await ask(limiter, threeAMinute, 'one');

    expect(await ask(limiter, threeAMinute, 'another')).toBe(2);
    expect(await ask(limiter, { ...threeAMinute, name: 'another-limit' }, 'one')).toBe(2);
  });

  test('is whole again when its window is over, which refusals do not lengthen', async () => {
    const limiter = createRateLimiter((await readyDatabase(kind)).database);
    const first = performance.now();
    let answers = codes([await ask(limiter, twoASecond), await ask(limiter, twoASecond)]);
    expect(answers).toEqual([1, 0]);

    while (performance.now() - first < 900) {
      await ask(limiter, twoASecond);
      await sleep(50);
    }
    await sleep(Math.max(0, 1200 - (performance.now() - first)));

    answers = codes([await ask(limiter, twoASecond)]);
    expect(answers).toEqual([1]);
  });

  test('is never overdrawn by requests at once', async () => {
    const limiter = createRateLimiter((await readyDatabase(kind)).database);

    const answers = await Promise.all(Array.from({ length: 30 }, () => ask(limiter, threeAMinute)));

    expect(answers.filter((answer) => typeof answer === 'number')).toHaveLength(3);
  });
});

test('two limiters on one PostgreSQL count together', async () => {
  const { database } = await readyDatabase('postgres');
  const [one, other] = [createRateLimiter(database), createRateLimiter(database)];

  const answers = [];
  for (let i = 0; i < 4; i += 1) answers.push(await ask(i % 2 ? one : other, threeAMinute));

  expect(codes(answers)).toEqual([2, 1, 0, 'TOO_MANY_REQUESTS']);
});

test('while PostgreSQL is away each counts alone, and still refuses', async () => {
  const { database, drop } = await readyDatabase('postgres');
  const [one, other] = [createRateLimiter(database), createRateLimiter(database)];
  await drop();

  const answers = [];
  for (let i = 0; i < 4; i += 1) answers.push(await ask(one, threeAMinute));

  expect(codes(answers)).toEqual([2, 1, 0, 'TOO_MANY_REQUESTS']);
  expect(await ask(other, threeAMinute)).toBe(2);
});

test('the limiter of RATE_LIMITS=off refuses nobody', async () => {
  for (let i = 0; i < 10; i += 1) expect(await ask(noRateLimiter, twoASecond)).toBe(2);
});
