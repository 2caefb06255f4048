import { expect, test } from 'vitest';
import { createBackground } from './background.ts';

test('work does not run at once, runs once if it is added twice with the same key, and is done when `finish` returns', async () => {
  const done: string[] = [];
  const background = createBackground(() => undefined);

  background.run('a', async () => done.push('a'));
  background.run('a', async () => done.push('a again'));
  background.run('b', async () => done.push('b'));
  const before = [...done];
  await background.finish();

  expect(before).toEqual([]);
  expect(done).toEqual(['a', 'b']);
});

test('a failure is reported, and later work with the same key still runs', async () => {
  const told: unknown[] = [];
  const background = createBackground((error) => told.push(error));
  const failure = new Error('the database is away');

  background.run('a', () => Promise.reject(failure));
  await background.finish();
  background.run('a', async () => told.push('done'));
  await background.finish();

  expect(told).toEqual([failure, 'done']);
});
