import { expect, test, vi } from 'vitest';
import { BOUND_MS, Changes, FedChanges, SeenChanges } from './changes.ts';
import { LookupCache } from './lookup-cache.ts';

function stillClocks() {
  const time = { steady: 1000, wall: 5_000_000 };
  const changes = new FedChanges({ clock: { now: () => time.wall }, steady: { now: () => time.steady } });
  return { time, changes };
}

test('a confirmation that no change was missed is valid for a limited time after its request', () => {
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
])('after the machine %s, it is unknown whether changes were missed, until the next confirmation', (_what, jump) => {
  const { time, changes } = stillClocks();
  changes.confirm(changes.moment());

  time.wall += jump;

  expect(changes.areKnown()).toBe(false);
  changes.confirm(changes.moment());
  expect(changes.areKnown()).toBe(true);
});

/** Returns a function that asks a cache and returns whether the answer was cached ("kept") or read. */
function asking(cache: LookupCache<string>) {
  return async (key: string, rows: readonly string[], whileReading?: () => unknown): Promise<'kept' | 'read'> => {
    let from: 'kept' | 'read' = 'kept';
    const value = await cache.find(key, async () => {
      from = 'read';
      await whileReading?.();
      return { value: `${key}!`, rows };
    });
    expect(value).toBe(`${key}!`);
    return from;
  };
}

function fedCache(max?: number) {
  const { time, changes } = stillClocks();
  changes.confirm(changes.moment());
  return { time, changes, ask: asking(new LookupCache<string>(changes, max)) };
}

test('an answer stays cached until one of its rows changes', async () => {
  const { changes, ask } = fedCache();
  const askAll = async () => [
    await ask('a', ['sessions a', 'users 1']),
    await ask('b', ['sessions b', 'users 1']),
    await ask('c', ['sessions c', 'users 2']),
  ];
  expect(await askAll()).toEqual(['read', 'read', 'read']);

  changes.tell('sessions a');
  expect(await askAll()).toEqual(['read', 'kept', 'kept']);
  changes.tell('users 1');
  expect(await askAll()).toEqual(['read', 'read', 'kept']);
  changes.tell('*');
  expect(await askAll()).toEqual(['read', 'read', 'read']);
});

test('an answer is not cached if any row changes while it is being read', async () => {
  const { changes, ask } = fedCache();

  expect(await ask('a', ['sessions a'], () => changes.tell('users 7'))).toBe('read');

  expect(await ask('a', ['sessions a'])).toBe('read');
  expect(await ask('a', ['sessions a'])).toBe('kept');
});

test('"not found" is not cached', async () => {
  const { changes } = stillClocks();
  changes.confirm(changes.moment());
  const cache = new LookupCache<string>(changes);

  expect(await cache.find('a', async () => undefined)).toBeUndefined();

  expect(await cache.find('a', async () => ({ value: 'new', rows: [] }))).toBe('new');
});

test('while a process may have missed changes, every answer is read and none is cached', async () => {
  const { time, changes, ask } = fedCache();
  await ask('a', ['sessions a']);
  time.steady += BOUND_MS;
  expect([await ask('a', ['sessions a']), await ask('b', ['sessions b'])]).toEqual(['read', 'read']);

  changes.confirm(changes.moment());

  expect([await ask('a', ['sessions a']), await ask('b', ['sessions b'])]).toEqual(['kept', 'read']);
  changes.lose();
  changes.confirm(changes.moment());
  expect(await ask('a', ['sessions a'])).toBe('read');
});

test('nothing is cached in a process that cannot learn of changes', async () => {
  const ask = asking(new LookupCache<string>(new Changes({ now: () => 0 })));

  expect([await ask('a', []), await ask('a', [])]).toEqual(['read', 'read']);
});

test('an answer is read again after a minute, and a full cache drops its oldest answers', async () => {
  const { time, changes, ask } = fedCache(2);
  for (const key of ['a', 'b', 'c']) await ask(key, ['users 1', `sessions ${key}`]);
  expect([await ask('b', []), await ask('c', []), await ask('a', [])]).toEqual(['kept', 'kept', 'read']);

  time.steady += 60_000;
  changes.confirm(changes.moment());

  expect([await ask('c', ['users 1']), await ask('c', ['users 1'])]).toEqual(['read', 'kept']);
  changes.tell('users 1');
  expect(await ask('c', [])).toBe('read');
});

/** Returns a fake file whose version grows with each commit. An undefined version means that it cannot be read. */
function watchedFile() {
  const file: { version: number | undefined; looks: number } = { version: 1, looks: 0 };
  const version = () => {
    file.looks += 1;
    if (file.version === undefined) throw new Error('no such file');
    return file.version;
  };
  const changes = new SeenChanges(version, { now: () => 0 });
  const ask = asking(new LookupCache<string>(changes));
  return { file, changes, ask: (key: string, whileReading?: () => unknown) => ask(key, ['users 1'], whileReading) };
}

test('an answer from an SQLite file is cached until any commit to the file', async () => {
  const { file, ask } = watchedFile();
  expect([await ask('a'), await ask('a'), await ask('b'), await ask('b')]).toEqual(['read', 'kept', 'read', 'kept']);

  file.version = 2;

  expect([await ask('a'), await ask('b'), await ask('a')]).toEqual(['read', 'read', 'kept']);
});

test('lookups in one turn of the event loop check the file once, and the next turn checks it again', async () => {
  const { file, ask } = watchedFile();
  await Promise.all(['a', 'b', 'c'].map((key) => ask(key)));
  expect(file.looks).toBe(1);
  await ask('a');
  expect(file.looks).toBe(2);
});

test('an answer that was read before a commit is dropped when the commit is noticed', async () => {
  const { file, ask } = watchedFile();
  const commit = async () => {
    file.version = 2;
    await ask('b');
  };

  expect(await ask('a', commit)).toBe('read');

  expect(await ask('a')).toBe('read');
});

test('while a file cannot be read, nothing is cached', async () => {
  const { file, changes, ask } = watchedFile();
  await ask('a');
  file.version = undefined;
  expect([await ask('a'), await ask('a'), changes.areKnown()]).toEqual(['read', 'read', false]);

  file.version = 1;

  expect([await ask('a'), await ask('a'), changes.areKnown()]).toEqual(['read', 'kept', true]);
});

test('calls with the same key in one turn of the event loop share a read, and a call during that read starts another read', async () => {
  const { changes } = fedCache();
  const { certain } = new LookupCache<number>(changes);
  const answers: (() => void)[] = [];
  let fromDatabase = 0;
  const read = async () => {
    const number = answers.length + 1;
    await new Promise<void>((resolve) => answers.push(resolve));
    return { value: number, rows: [] };
  };
  const ask = () =>
    certain.find('ada', read, () => {
      fromDatabase += 1;
    });

  const first = [ask(), ask(), ask()];
  await vi.waitUntil(() => answers.length > 0);
  const later = ask();
  await vi.waitUntil(() => answers.length > 1);
  for (const answer of answers) answer();

  expect([await Promise.all(first), await later]).toEqual([[1, 1, 1], 2]);
  expect(fromDatabase).toBe(4);
});
