import { expect, onTestFinished, test } from 'vitest';
import { type DatabaseKind, eachDatabase, freshDatabase } from '../../test/support/each-database.ts';
import { testClock } from '../../test/support/test-clock.ts';
import type { Database } from '../db/handle.ts';
import { migrate } from '../db/migrate.ts';
import { openDatabase } from '../db/open.ts';
import { AppError } from '../errors/app-error.ts';
import { type LimitKey, limitKeys } from './client-address.ts';
import { createRateLimiter, type Limit, noRateLimiter, type RateLimiter } from './rate-limit.ts';
import { memoryWindows, postgresWindows, type Windows } from './windows.ts';

const logins: Limit = { name: 'login', error: 'TOO_MANY_LOGINS' };
const pages: Limit = { name: 'login-page', error: 'TOO_MANY_REQUESTS' };
const budgets = { login: { points: 3, windowSeconds: 60 }, 'login-page': { points: 2, windowSeconds: 60 } };

const clientOf = (ip: string): LimitKey[] => limitKeys({ ip, socket: {} });

async function readyDatabase(): Promise<{ database: Database; drop: () => Promise<void> }> {
  const fresh = await freshDatabase('postgres');
  const database = await openDatabase(fresh.url, { max: 5, isPatient: false, onTrouble: () => undefined });
  onTestFinished(async () => {
    await database.close();
    await fresh.drop();
  });
  await migrate(database);
  return { database, drop: fresh.drop };
}

/** Returns the windows of a kind of database, and a function that lets time pass for them. */
async function windowsFor(kind: DatabaseKind): Promise<{ windows: Windows; pass(ms: number): Promise<unknown> }> {
  const clock = testClock();
  if (kind === 'sqlite') return { windows: memoryWindows(clock), pass: async (ms) => clock.advance(ms) };
  const { database } = await readyDatabase();
  return { windows: postgresWindows(database, clock), pass: (ms) => moveWindows(database, -ms) };
}

/** Moves the end of every window in PostgreSQL by `ms`, which may be negative. */
const moveWindows = ({ kysely }: Database, ms: number) =>
  kysely
    .updateTable('rate_limits')
    .set((row) => ({ expire: row('expire', '+', ms) }))
    .execute();

/** Sends one request through the limiter. Returns how many requests are left, or the error. */
const ask = (limiter: RateLimiter, limit: Limit, client = '192.0.2.1'): Promise<number | AppError> =>
  limiter.consume(limit, clientOf(client)).then(
    ({ remaining }) => remaining,
    (error: unknown) => {
      if (error instanceof AppError) return error;
      throw error;
    },
  );

const codes = (answers: (number | AppError)[]) =>
  answers.map((answer) => (answer instanceof AppError ? answer.code : answer));

eachDatabase('the budget of a rate limit', (kind) => {
  test('decreases to 0; further requests get the error of the limit, which says when to try again', async () => {
    const limiter = createRateLimiter((await windowsFor(kind)).windows, budgets);

    const answers = [];
    for (let i = 0; i < 5; i += 1) answers.push(await ask(limiter, logins));

    expect(codes(answers)).toEqual([2, 1, 0, 'TOO_MANY_LOGINS', 'TOO_MANY_LOGINS']);
    const [refusal] = answers.slice(3);
    if (!(refusal instanceof AppError)) throw new Error('it was not refused');
    expect(refusal.parameters.limit).toBe(3);
    expect(refusal.parameters.retryAfterSeconds).toBeGreaterThan(50);
    expect(refusal.parameters.retryAfterSeconds).toBeLessThanOrEqual(60);
  });

  test('is counted separately for each client and each limit', async () => {
    const limiter = createRateLimiter((await windowsFor(kind)).windows, budgets);
    for (let i = 0; i < 4; i += 1) await ask(limiter, logins, '192.0.2.1');

    expect(await ask(limiter, logins, '192.0.2.2')).toBe(2);
    expect(await ask(limiter, pages, '192.0.2.1')).toBe(1);
  });

  test('is full again when its window ends, and refused requests do not extend the window', async () => {
    const { windows, pass } = await windowsFor(kind);
    const limiter = createRateLimiter(windows, budgets);
    for (let i = 0; i < 4; i += 1) await ask(limiter, logins);
    await pass(30_000);
    expect(codes([await ask(limiter, logins)])).toEqual(['TOO_MANY_LOGINS']);

    await pass(30_000);

    expect(codes([await ask(limiter, logins)])).toEqual([2]);
  });

  test('is never exceeded by concurrent requests', async () => {
    const limiter = createRateLimiter((await windowsFor(kind)).windows, budgets);

    const answers = await Promise.all(Array.from({ length: 30 }, () => ask(limiter, logins)));

    expect(answers.filter((answer) => typeof answer === 'number')).toHaveLength(3);
  });

  test('is counted for an IPv6 /64 network; a /56 has twice and a /48 four times the budget', async () => {
    const limiter = createRateLimiter((await windowsFor(kind)).windows, budgets);
    const passes = async (addressOf: (at: number) => string) => {
      let count = 0;
      for (let at = 0; at < 30; at += 1)
        count += (await ask(limiter, logins, addressOf(at))) instanceof AppError ? 0 : 1;
      return count;
    };

    expect(await passes((at) => `2001:db8:1:2::${at}`)).toBe(3);
    expect(await passes((at) => `2001:db8:2:${at.toString(16)}::1`)).toBe(6);
    expect(await passes((at) => `2001:db8:3:${at.toString(16)}00::1`)).toBe(12);
    expect(await passes((at) => `2001:db8:${(at + 16).toString(16)}::1`)).toBe(30);
  });
});

test('two limiters that use the same PostgreSQL share a count, even if their own clocks differ', async () => {
  const { database } = await readyDatabase();
  const wrong = testClock();
  wrong.advance(86_400_000);
  const [one, other] = [testClock(), wrong].map((clock) =>
    createRateLimiter(postgresWindows(database, clock), budgets),
  );

  const answers = [];
  for (let i = 0; i < 6; i += 1) {
    const limiter = i % 2 ? one : other;
    if (limiter) answers.push(await ask(limiter, logins));
  }

  expect(codes(answers)).toEqual([2, 1, 0, 'TOO_MANY_LOGINS', 'TOO_MANY_LOGINS', 'TOO_MANY_LOGINS']);
});

test('a counter written while the clock of PostgreSQL was ahead is ignored once the clock is right', async () => {
  const { database } = await readyDatabase();
  const limiter = createRateLimiter(postgresWindows(database, testClock()), budgets);
  for (let i = 0; i < 4; i += 1) await ask(limiter, logins);
  await moveWindows(database, 86_400_000);

  const answers = [];
  for (let i = 0; i < 4; i += 1) answers.push(await ask(limiter, logins));

  expect(codes(answers)).toEqual([2, 1, 0, 'TOO_MANY_LOGINS']);
});

test('a counter kept in memory while the clock was ahead is ignored once the clock is right', async () => {
  const clock = testClock();
  const limiter = createRateLimiter(memoryWindows(clock), budgets);
  clock.advance(86_400_000);
  for (let i = 0; i < 4; i += 1) await ask(limiter, logins);
  clock.advance(-86_400_000);

  const answers = [];
  for (let i = 0; i < 4; i += 1) answers.push(await ask(limiter, logins));

  expect(codes(answers)).toEqual([2, 1, 0, 'TOO_MANY_LOGINS']);
  const [refusal] = answers.slice(3);
  expect(refusal instanceof AppError && refusal.parameters.retryAfterSeconds).toBeLessThanOrEqual(60);
});

test('while PostgreSQL is unavailable, each process counts for itself and still refuses requests', async () => {
  const { database, drop } = await readyDatabase();
  const one = createRateLimiter(postgresWindows(database, testClock()), budgets);
  const other = createRateLimiter(postgresWindows(database, testClock()), budgets);
  await drop();

  const answers = [];
  for (let i = 0; i < 4; i += 1) answers.push(await ask(one, logins));

  expect(codes(answers)).toEqual([2, 1, 0, 'TOO_MANY_LOGINS']);
  expect(await ask(other, logins)).toBe(2);
});

test('with RATE_LIMITS=off the limiter refuses no request', async () => {
  for (let i = 0; i < 10; i += 1) expect(await ask(noRateLimiter, logins)).toBe(8);
});
