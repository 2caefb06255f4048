import { readFile } from 'node:fs';
import { expect, test } from 'vitest';
import { endOfTurn } from './end-of-turn.ts';

test('callers in one turn of the event loop continue at its end, in their order and before the next turn begins', async () => {
  const order: string[] = [];
  const wait = async (name: string) => {
    await endOfTurn();
    order.push(name);
  };

  const both = [wait('first'), wait('second')];
  await Promise.resolve();
  order.push('the turn itself');
  setImmediate(() => order.push('what was asked for later'));
  await Promise.all(both);

  expect(order).toEqual(['the turn itself', 'first', 'second']);
});

test('a caller in a later turn waits for the end of that turn', async () => {
  await endOfTurn();

  const order = await new Promise<string[]>((done) => {
    readFile(import.meta.filename, async () => {
      const seen: string[] = [];
      setImmediate(() => seen.push('asked for before'));
      await endOfTurn();
      done([...seen, 'waited']);
    });
  });

  expect(order).toEqual(['asked for before', 'waited']);
});
