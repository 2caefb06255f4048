import { expect, test } from 'vitest';
import { BOUND_MS, FedChanges, SeenChanges } from './changes.ts';
import { LookupCache } from './lookup-cache.ts';

function stillClocks() {
  const time = { steady: 1000, wall: 5_000_000 };
  const changes = new FedChanges({ clock: { now: () => time.wall }, steady: { now: () => time.steady } });
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

/** A file whose number grows with each commit; undefined: it cannot be looked at. */
function seenFile() {
  const file: { version: number | undefined; looks: number } = { version: 1, looks: 0 };
  const version = () => {
    file.looks += 1;
    if (file.version === undefined) throw new Error('no such file');
    return file.version;
  };
  const changes = new SeenChanges(version, { now: () => 0 });
  const cache = new LookupCache<string>(changes);
  const ask = async (key: string) => {
    const known = await cache.get(key);
    const begun = cache.begin();
    if (known === undefined) cache.keep(begun, key, { value: `${key}!`, rows: ['users 1'] });
    return known;
  };
  return { file, changes, cache, ask };
}

test('an answer from a file is kept until anything is committed there', async () => {
  const { file, ask } = seenFile();
  expect([await ask('a'), await ask('a'), await ask('b'), await ask('b')]).toEqual([undefined, 'a!', undefined, 'b!']);

  file.version = 2;

  expect([await ask('a'), await ask('b'), await ask('a')]).toEqual([undefined, undefined, 'a!']);
});

test('those who ask in the same turn share one look at the file, and those of the next do not', async () => {
  const { file, cache } = seenFile();
  await Promise.all(['a', 'b', 'c'].map((key) => cache.get(key)));
  expect(file.looks).toBe(1);
  await cache.get('a');
  expect(file.looks).toBe(2);
});

test('an answer that was read before a commit is not kept once that was seen', async () => {
  const { file, cache } = seenFile();
  await cache.get('a');
  const begun = cache.begin();
  file.version = 2;
  await cache.get('b');

  cache.keep(begun, 'a', { value: 'old', rows: [] });

  expect(await cache.get('a')).toBeUndefined();
});

test('while a file cannot be looked at nothing is answered and nothing is kept', async () => {
  const { file, changes, ask } = seenFile();
  await ask('a');
  file.version = undefined;
  expect([await ask('a'), await ask('a'), changes.areKnown()]).toEqual([undefined, undefined, false]);

  file.version = 1;

  expect([await ask('a'), await ask('a'), changes.areKnown()]).toEqual([undefined, 'a!', true]);
});
