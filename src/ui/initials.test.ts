import { expect, test } from 'vitest';
import { initialsOf, toneOf, tonesOf } from './initials.ts';

test.each([
  ['Ada Lovelace', 'ada', 'AL'],
  ['Grace Brewster Murray Hopper', 'grace', 'GH'],
  ['', 'linus', 'L'],
  ['   ', 'linus', 'L'],
  ['Prince', 'prince', 'P'],
  ['élodie (guest)', 'elodie', 'É'],
  ['山田 太郎', 'taro', '山太'],
  ['<b>', '_root', '_'],
  ['', '', ''],
])('a person with the full name %j and the username %j gets the initials %j', (fullName, username, initials) => {
  expect(initialsOf(fullName, username)).toBe(initials);
});

test('a person gets one of ten colours, always the same one', () => {
  for (const name of ['ada', 'grace', '', '山田', 'x'.repeat(255)]) {
    expect([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]).toContain(toneOf(name));
    expect(toneOf(name)).toBe(toneOf(name));
  }
});

test('each person that a browser remembers has a different colour, in any order', () => {
  const names = Array.from({ length: 20 }, (_, index) => `ada-${index}`);

  const tones = tonesOf(names);

  expect([...tones.values()].sort((a, b) => a - b)).toEqual(names.map((_, index) => index));
  expect(tonesOf(names.toReversed())).toEqual(tones);
});

test('people in a list keep their own colours if those are free', () => {
  const names = ['ada', 'grace', 'eve', 'bob', 'linus', 'carol', 'dave', 'zoe'];

  const tones = tonesOf(names);

  const own = names.map(toneOf);
  expect(new Set(own).size).toBeLessThan(names.length);
  for (const name of names.filter((one) => own.filter((tone) => tone === toneOf(one)).length === 1)) {
    expect(tones.get(name)).toBe(toneOf(name));
  }
  expect(new Set(tones.values()).size).toBe(names.length);
});
