import { expect, test } from 'vitest';
import { Turns } from './turns.ts';

/** Creates work that runs until the test ends it. */
function heldWork() {
  let [end, fail] = [() => {}, (_error: Error) => {}];
  const held = new Promise<void>((resolve, reject) => {
    end = resolve;
    fail = reject;
  });
  return { work: () => held, end, fail };
}

test('work with the same key runs in order, and work with another key does not wait for it', async () => {
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

test('when work fails, work that waits behind it fails without starting, and later work runs', async () => {
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
