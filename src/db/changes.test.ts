import { expect, test } from 'vitest';
import { BOUND_MS, Changes } from './changes.ts';
import { LookupCache } from './lookup-cache.ts';

function stillClocks() {
  const time = { steady: 1000, wall: 5_000_000 };
  const changes = new Changes({ clock: { now: () => time.wall }, steady: { now: () => time.steady } });
  return { time, changes };
}

test('changes are known for a bounded time after each confirmation, and from the moment it was asked for', () => {
  const { time, changes } = stillClocks();
  expect(changes.areKnown()).toBe(false);

  const asked = changes.moment();
  time.steady += 500;
  time.wall += 500;
  changes.confirm(asked);
  expect(changes.areKnown()).toBe(true);

  time.steady += BOUND_MS - 501;
  expect(changes.areKnown()).toBe(true);
  time.steady += 1;
  expect(changes.areKnown()).toBe(false);
});

test.each([
  ['slept', BOUND_MS],
  ['had its clock set back', -BOUND_MS],
])('a machine that %s knows nothing until the next confirmation', (_what, jump) => {
  const { time, changes } = stillClocks();
  changes.confirm(changes.moment());

  time.wall += jump;

  expect(changes.areKnown()).toBe(false);
  changes.confirm(changes.moment());
  expect(changes.areKnown()).toBe(true);
});

function keeping(most?: number) {
  const { time, changes } = stillClocks();
  changes.confirm(changes.moment());
  const cache = new LookupCache<string>(changes, most);
  const keep = (key: string, ...rows: string[]) => cache.keep(cache.begin(), key, { value: `${key}!`, rows });
  return { time, changes, cache, keep };
}

test('an answer is kept until one of its rows changes', async () => {
  const { changes, cache, keep } = keeping();
  keep('a', 'sessions a', 'users 1');
  keep('b', 'sessions b', 'users 1');
  keep('c', 'sessions c', 'users 2');

  changes.tell('sessions a');
  expect([await cache.get('a'), await cache.get('b'), await cache.get('c')]).toEqual([undefined, 'b!', 'c!']);
  changes.tell('users 1');
  expect([await cache.get('b'), await cache.get('c')]).toEqual([undefined, 'c!']);
  changes.tell('*');
  expect(await cache.get('c')).toBeUndefined();
});

test('an answer that was read before a change is not kept after it, whatever it was', async () => {
  const { changes, cache } = keeping();
  const begun = cache.begin();

  changes.tell('users 7');
  cache.keep(begun, 'a', { value: 'old', rows: ['sessions a'] });

  expect(await cache.get('a')).toBeUndefined();
});

test('while changes are not known nothing is answered and nothing is kept, even when they are known again', async () => {
  const { time, changes, cache, keep } = keeping();
  keep('a', 'sessions a');
  time.steady += BOUND_MS;
  expect(await cache.get('a')).toBeUndefined();
  keep('b', 'sessions b');

  changes.confirm(changes.moment());

  expect([await cache.get('a'), await cache.get('b')]).toEqual(['a!', undefined]);
  changes.lose();
  changes.confirm(changes.moment());
  expect(await cache.get('a')).toBeUndefined();
});

test('an answer is asked for again after a minute, and the oldest make room', async () => {
  const { time, changes, cache, keep } = keeping(2);
  for (const key of ['a', 'b', 'c']) keep(key, 'users 1', `sessions ${key}`);
  expect([await cache.get('a'), await cache.get('b'), await cache.get('c')]).toEqual([undefined, 'b!', 'c!']);

  time.steady += 60_000;
  changes.confirm({ ...changes.moment() });

  expect(await cache.get('b')).toBeUndefined();
  keep('b', 'sessions b');
  expect(await cache.get('b')).toBe('b!');
  changes.tell('users 1');
  expect([await cache.get('b'), await cache.get('c')]).toEqual(['b!', undefined]);
});
