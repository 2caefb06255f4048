import { expect, test } from 'vitest';
import { Crowd } from './crowd.ts';

test('below the limit no client of the crowd loses a unit', () => {
  const crowd = new Crowd<string>(2);
  crowd.add('one', 'a');
  crowd.add('one', 'b');
  crowd.add('one', 'b');

  expect(crowd.size).toBe(2);
  expect(crowd.surplus()).toBeUndefined();
});

test('beyond the limit, the client with the most units loses its oldest removable unit', () => {
  const crowd = new Crowd<string>(4);
  crowd.add('modest', 'first of all');
  for (const unit of ['a', 'b', 'c']) crowd.add('greedy', unit);
  crowd.add('late', 'newest');

  expect(crowd.surplus()).toBe('a');
  expect(crowd.surplus((unit) => unit !== 'a')).toBe('b');
  expect(crowd.surplus(() => false)).toBeUndefined();
  crowd.remove('greedy', 'a');
  expect(crowd.surplus()).toBeUndefined();
});

test('a client can add a unit while units are free, and after that only if another client has at least two more', () => {
  const crowd = new Crowd<string>(4);
  for (const unit of ['a', 'b', 'c']) crowd.add('greedy', unit);
  expect(crowd.hasRoom('greedy')).toBe(true);

  crowd.add('modest', 'd');

  expect(['greedy', 'modest', 'late'].map((client) => crowd.hasRoom(client))).toEqual([false, true, true]);
});

test('removing a unit twice, or a unit that is not there, does not change the size again', () => {
  const crowd = new Crowd<string>(1);
  crowd.add('one', 'a');
  crowd.add('two', 'b');
  crowd.remove('one', 'a');
  crowd.remove('one', 'a');
  crowd.remove('two', 'unknown');

  expect(crowd.size).toBe(1);
});
