import { expect, test } from 'vitest';
import { Turns } from './turns.ts';

test('work of one key runs in its order, also after a failure; another key does not wait', async () => {
  const turns = new Turns();
  const seen: string[] = [];
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const note = (word: string) => async () => void seen.push(word);

  const first = turns.run('a', () => held);
  const second = turns.run('a', async () => {
    seen.push('second');
    throw new Error('broken');
  });
  const third = turns.run('a', note('third'));
  await turns.run('b', note('other'));
  expect(seen).toEqual(['other']);
  release();

  await first;
  await expect(second).rejects.toThrow('broken');
  await third;
  expect(seen).toEqual(['other', 'second', 'third']);
});
