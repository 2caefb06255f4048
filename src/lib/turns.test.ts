import { expect, test } from 'vitest';
import { Turns } from './turns.ts';

/** Work that goes on until it is ended. */
function heldWork() {
  let [end, fail] = [() => {}, (_error: Error) => {}];
  const held = new Promise<void>((resolve, reject) => {
    end = resolve;
    fail = reject;
  });
  return { work: () => held, end, fail };
}

test('work of one key runs in its order; another key does not wait', async () => {
  const turns = new Turns();
  const seen: string[] = [];
  const note = (word: string) => async () => void seen.push(word);
  const { work, end } = heldWork();

  const first = turns.run('a', work);
  const second = turns.run('a', note('second'));
  await turns.run('b', note('other'));
  expect(seen).toEqual(['other']);
  end();

  await Promise.all([first, second]);
  expect(seen).toEqual(['other', 'second']);
});

test('a failure fails the work that waits behind it, which does not begin; later work does', async () => {
  const turns = new Turns();
  const seen: string[] = [];
  const note = (word: string) => async () => void seen.push(word);
  const { work, fail } = heldWork();

  const all = ['first', 'second', 'third'].map((word) => turns.run('a', word === 'first' ? work : note(word)));
  const ended = Promise.allSettled(all);
  fail(new Error('broken'));

  expect(await ended).toEqual(all.map(() => ({ status: 'rejected', reason: new Error('broken') })));
  await turns.run('a', note('later'));
  expect(seen).toEqual(['later']);
});
