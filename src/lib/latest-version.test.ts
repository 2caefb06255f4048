import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createLatestVersion } from './latest-version.ts';

const HOUR_MS = 3_600_000;

function setUp(find: () => Promise<string>, patienceMs = 1000) {
  let now = 0;
  let lookups = 0;
  const counted = () => {
    lookups += 1;
    return find();
  };
  const latest = createLatestVersion({ find: counted, clock: { now: () => now }, patienceMs });
  const wait = (ms: number) => {
    now += ms;
  };
  return { latest, wait, lookups: () => lookups };
}

test('the first call returns null without waiting, and a later call returns the result of the lookup', async () => {
  const { latest } = setUp(async () => '2.0.0');

  expect(latest.get()).toBeNull();
  await sleep(5);
  expect(latest.get()).toBe('2.0.0');
});

test('repeated calls start only one lookup, until the answer is six hours old', async () => {
  const { latest, wait, lookups } = setUp(async () => '2.0.0');
  for (let i = 0; i < 5; i += 1) latest.get();
  await sleep(5);
  wait(6 * HOUR_MS - 1);
  latest.get();
  expect(lookups()).toBe(1);

  wait(1);

  expect(latest.get()).toBe('2.0.0');
  expect(lookups()).toBe(2);
});

test('a failed lookup keeps the known version, and the next lookup follows after an hour', async () => {
  const answers = [async () => '2.0.0', () => Promise.reject(new Error('the registry is away')), async () => '3.0.0'];
  const { latest, wait, lookups } = setUp(() => (answers.shift() ?? (async () => ''))());
  latest.get();
  await sleep(5);
  wait(6 * HOUR_MS);
  latest.get();
  await sleep(5);

  expect(latest.get()).toBe('2.0.0');
  expect(lookups()).toBe(2);

  wait(HOUR_MS);
  latest.get();
  await sleep(5);
  expect(latest.get()).toBe('3.0.0');
});

test('a lookup that never ends counts as failed', async () => {
  const { latest, wait, lookups } = setUp(() => new Promise(() => undefined), 5);
  latest.get();
  await sleep(20);
  wait(HOUR_MS);

  expect(latest.get()).toBeNull();
  expect(lookups()).toBe(2);
});
