import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { readTogether } from './read-together.ts';

/** Returns a reader that finds all keys except `none`, and a list of the keys of each read. */
function recorded() {
  const reads: string[][] = [];
  const ask = readTogether(async (keys, subject: string) => {
    reads.push([...keys]);
    return keys.filter((key) => key !== 'none').map((key) => [key, `row of ${key}${subject}`]);
  });
  const read = (key: string, subject = '') => ask(key, subject);
  return { read, reads };
}

test('calls that waited for the same moment share one read, and each gets its own row', async () => {
  const { read, reads } = recorded();
  const moment = nextTurn();
  const askThen = async (key: string) => {
    await moment;
    return read(key);
  };

  const rows = await Promise.all(['a', 'none', 'b', 'a'].map(askThen));

  expect(rows).toEqual(['row of a', undefined, 'row of b', 'row of a']);
  expect(reads).toEqual([['a', 'none', 'b']]);
});

test('a call that comes after a read has started gets its own read', async () => {
  const { read, reads } = recorded();
  const first = read('a');
  await new Promise((done) => process.nextTick(done));

  await Promise.all([first, read('a')]);

  expect(reads).toEqual([['a'], ['a']]);
});

test('one read has at most fifty keys', async () => {
  const { read, reads } = recorded();
  const keys = Array.from({ length: 101 }, (_none, at) => `${at}`);

  const rows = await Promise.all(keys.map((key) => read(key)));

  expect(rows).toEqual(keys.map((key) => `row of ${key}`));
  expect(reads.map(({ length }) => length)).toEqual([50, 50, 1]);
});

test('calls with different second arguments get their own reads', async () => {
  const { read, reads } = recorded();

  const rows = await Promise.all([read('a', ' of x'), read('a', ' of y'), read('b', ' of x')]);

  expect(rows).toEqual(['row of a of x', 'row of a of y', 'row of b of x']);
  expect(reads).toEqual([['a', 'b'], ['a']]);
});

test('if a read fails, only the calls of that read fail', async () => {
  let isLost = true;
  const read = readTogether(async (keys, _subject: number) => {
    if (isLost) throw new Error('the database is lost');
    return keys.map((key) => [key, key]);
  });

  const lost = await Promise.allSettled([read('a', 1), read('b', 1)]);
  isLost = false;

  expect(lost.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await read('a', 1)).toBe('a');
});
