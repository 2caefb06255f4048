import { expect, test } from 'vitest';
import { Shares } from './shares.ts';

/** Takes units for a client until it gets no more. Returns how many it got. */
function takeAll(shares: Shares, client: string): number {
  let count = 0;
  while (shares.take(client)) count += 1;
  return count;
}

test('a single client gets at most a fifth of all units', () => {
  expect(takeAll(new Shares(1000), 'one')).toBe(200);
});

test('a new client still gets units after ten others have taken all that they can get', () => {
  const shares = new Shares(1000);
  for (let at = 0; at < 10; at += 1) takeAll(shares, `client ${at}`);

  expect(takeAll(shares, 'a newcomer')).toBeGreaterThan(10);
});

test('when units are released and taken again, the shares of many clients become equal', () => {
  const shares = new Shares(1000);
  const clients = Array.from({ length: 100 }, (_, at) => ({ name: `client ${at}`, held: 0 }));
  for (let round = 0; round < 50; round += 1) {
    for (const client of clients) {
      client.held += takeAll(shares, client.name);
      for (const given = Math.ceil(client.held / 4), end = client.held - given; client.held > end; client.held -= 1)
        shares.release(client.name);
    }
  }

  for (const { name, held } of clients) expect([name, held > 0 && held < 15]).toEqual([name, true]);
  expect(shares.take('a newcomer')).toBe(true);
});

test('a released unit can be taken again', () => {
  const shares = new Shares(100);
  const most = takeAll(shares, 'one');
  shares.release('one');

  expect(shares.taken).toBe(most - 1);
  expect(takeAll(shares, 'one')).toBe(1);
});

test('clients together never take more units than the capacity', () => {
  const shares = new Shares(50);
  let taken = 0;
  for (let at = 0; at < 1000; at += 1) taken += takeAll(shares, `client ${at}`);

  expect(taken).toBe(50);
  expect(shares.take('a newcomer')).toBe(false);
});
