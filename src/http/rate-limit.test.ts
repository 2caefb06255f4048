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

/** Windows to count in, and a way to let time pass there. */
async function windowsFor(kind: DatabaseKind): Promise<{ windows: Windows; pass(ms: number): Promise<unknown> }> {
  const clock = testClock();
  if (kind === 'sqlite') return { windows: memoryWindows(clock), pass: async (ms) => clock.advance(ms) };
  const { database } = await readyDatabase();
  return { windows: postgresWindows(database, clock), pass: (ms) => moveWindows(database, -ms) };
}

/** Lets the windows in PostgreSQL end later or earlier than they did. */
const moveWindows = ({ kysely }: Database, ms: number) =>
  kysely
    .updateTable('rate_limits')
    .set((row) => ({ expire: row('expire', '+', ms) }))
    .execute();

/** What a request came to: how many are left, or the refusal. */
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

eachDatabase('a budget', (kind) => {
  test('goes down to nothing, is refused by its own error, and says when to come back', async () => {
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

  test('is one for each client and each limit', async () => {
    const limiter = createRateLimiter((await windowsFor(kind)).windows, budgets);
    for (let i = 0; i < 4; i += 1) await ask(limiter, logins, '192.0.2.1');

    expect(await ask(limiter, logins, '192.0.2.2')).toBe(2);
    expect(await ask(limiter, pages, '192.0.2.1')).toBe(1);
  });

  test('is full again when its window ends, which refusals do not extend', async () => {
    const { windows, pass } = await windowsFor(kind);
    const limiter = createRateLimiter(windows, budgets);
    for (let i = 0; i < 4; i += 1) await ask(limiter, logins);
    await pass(30_000);
    expect(codes([await ask(limiter, logins)])).toEqual(['TOO_MANY_LOGINS']);

    await pass(30_000);

    expect(codes([await ask(limiter, logins)])).toEqual([2]);
  });

  test('is never overdrawn by requests at once', async () => {
    const limiter = createRateLimiter((await windowsFor(kind)).windows, budgets);

    const answers = await Promise.all(Array.from({ length: 30 }, () => ask(limiter, logins)));

    expect(answers.filter((answer) => typeof answer === 'number')).toHaveLength(3);
  });

  test('of an IPv6 address is also that of the networks around it, which have twice and four times as much', async () => {
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

test('two limiters on one PostgreSQL count together, whatever their own clocks say', async () => {
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

test('a counter that PostgreSQL wrote while its clock was ahead does not count once the clock is right', async () => {
  const { database } = await readyDatabase();
  const limiter = createRateLimiter(postgresWindows(database, testClock()), budgets);
  for (let i = 0; i < 4; i += 1) await ask(limiter, logins);
  await moveWindows(database, 86_400_000);

  const answers = [];
  for (let i = 0; i < 4; i += 1) answers.push(await ask(limiter, logins));

  expect(codes(answers)).toEqual([2, 1, 0, 'TOO_MANY_LOGINS']);
});

test('in memory, a counter of a clock that was ahead does not count once the clock is right', async () => {
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

test('while PostgreSQL is away each process counts alone, and still refuses', async () => {
  const { database, drop } = await readyDatabase();
  const one = createRateLimiter(postgresWindows(database, testClock()), budgets);
  const other = createRateLimiter(postgresWindows(database, testClock()), budgets);
  await drop();

  const answers = [];
  for (let i = 0; i < 4; i += 1) answers.push(await ask(one, logins));

  expect(codes(answers)).toEqual([2, 1, 0, 'TOO_MANY_LOGINS']);
  expect(await ask(other, logins)).toBe(2);
});

test('the limiter of RATE_LIMITS=off refuses no one', async () => {
  for (let i = 0; i < 10; i += 1) expect(await ask(noRateLimiter, logins)).toBe(8);
});
