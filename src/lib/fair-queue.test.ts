import { expect, test } from 'vitest';
import { AskerGone, FairQueue, QueueFull } from './fair-queue.ts';

/** Creates a queue that runs one piece of work at a time. The test decides how long the work takes. */
function startQueue({ maxWaitMs = 1000, minWaiting = 0, giveUpMs = 60_000, expectedMs = 100 } = {}) {
  let now = 0;
  const done: string[] = [];
  const ends: (() => void)[] = [];
  const steady = { now: () => now };
  const queue = new FairQueue({ maxRunning: 1, maxWaitMs, minWaiting, giveUpMs, expectedMs, steady });
  const ask = (client: string | undefined, signal?: AbortSignal) =>
    queue.run(
      async () => {
        await new Promise<void>((end) => ends.push(end));
        done.push(client ?? 'the process');
      },
      client === undefined ? undefined : { client, ...(signal ? { signal } : {}) },
    );
  return {
    done,
    ask,
    /** Ends the current work as if it had taken this long. */
    end: async (tookMs = 100) => {
      now += tookMs;
      ends.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test('clients take turns, even if one of them adds much more work than the others', async () => {
  const { ask, end, done } = startQueue();
  const all = [...Array.from({ length: 5 }, () => ask('greedy')), ask('modest'), ask('modest'), ask('late')];

  for (let i = 0; i < all.length; i += 1) await end();
  await Promise.all(all);

  expect(done).toEqual(['greedy', 'greedy', 'modest', 'late', 'greedy', 'modest', 'greedy', 'greedy']);
});

test('work that would wait too long is refused at once with a time to try again, while another client is accepted', async () => {
  const { ask } = startQueue();
  const crowd = Array.from({ length: 12 }, () => ask('greedy'));
  for (const one of crowd) one.catch(() => undefined);

  const refusal = await ask('greedy').catch((error: unknown) => error);

  expect(refusal).toBeInstanceOf(QueueFull);
  expect(refusal).toMatchObject({ retryAfterSeconds: 2 });
  expect(await Promise.race([ask('modest').catch((error: unknown) => error), Promise.resolve('it waits')])).toBe(
    'it waits',
  );
});

test('when work takes longer, less work may wait', async () => {
  const { ask, end } = startQueue({ expectedMs: 1 });
  const slow = ask('one');
  await end(8000);
  await slow;

  ask('one').catch(() => undefined);
  ask('one').catch(() => undefined);

  await expect(ask('one')).rejects.toBeInstanceOf(QueueFull);
});

test('work of the process itself is never refused', async () => {
  const { ask, end, done } = startQueue({ giveUpMs: 1 });
  const all = Array.from({ length: 50 }, () => ask(undefined));
  await new Promise((resolve) => setTimeout(resolve, 20));

  for (let i = 0; i < all.length; i += 1) await end();
  await Promise.all(all);

  expect(done).toHaveLength(50);
});

test('a minimum number of pieces of work may always wait, even on a slow machine', async () => {
  const { ask, end, done } = startQueue({ minWaiting: 5, expectedMs: 100_000 });
  const all = Array.from({ length: 6 }, () => ask('one'));

  await expect(ask('one')).rejects.toBeInstanceOf(QueueFull);
  for (let i = 0; i < all.length; i += 1) await end();
  await Promise.all(all);

  expect(done).toHaveLength(6);
});

test('work that has waited too long is refused, and later work still runs', async () => {
  const { ask, end, done } = startQueue({ giveUpMs: 20 });
  const first = ask('one');

  await expect(ask('one')).rejects.toBeInstanceOf(QueueFull);
  await end();
  await first;
  const next = ask('another');
  await end();
  await next;

  expect(done).toEqual(['one', 'another']);
});

test('waiting work of a client that disconnects never starts', async () => {
  const { ask, end, done } = startQueue();
  const leaving = new AbortController();
  const first = ask('one');
  const abandoned = Array.from({ length: 5 }, () => ask('two', leaving.signal));
  const last = ask('three');

  leaving.abort();
  for (const one of abandoned) await expect(one).rejects.toBeInstanceOf(AskerGone);
  await end();
  await end();
  await Promise.all([first, last]);

  expect(done).toEqual(['one', 'three']);
  await expect(ask('two', leaving.signal)).rejects.toBeInstanceOf(AskerGone);
});

test('no more work than allowed runs at the same time, and work that fails makes room for other work', async () => {
  const bounds = { maxWaitMs: 1000, minWaiting: 0, giveUpMs: 60_000, expectedMs: 1 };
  const queue = new FairQueue({ maxRunning: 2, ...bounds, steady: { now: () => 0 } });
  let running = 0;
  let most = 0;
  const work = async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    throw new Error('it fails');
  };

  const all = await Promise.allSettled(Array.from({ length: 9 }, () => queue.run(work, { client: 'one' })));

  expect(all.map(({ status }) => status)).toEqual(Array.from({ length: 9 }, () => 'rejected'));
  expect(most).toBe(2);
  expect(await queue.run(async () => 'still at work', { client: 'one' })).toBe('still at work');
});
