import { expect, test } from 'vitest';
import { initialsOf, toneOf } from './initials.ts';

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
])('%j, else %j, is shown as %j', (fullName, username, initials) => {
  expect(initialsOf(fullName, username)).toBe(initials);
});

test('the colour of a person is one of six and does not change', () => {
  for (const name of ['ada', 'grace', '', '山田', 'x'.repeat(255)]) {
    expect([0, 1, 2, 3, 4, 5]).toContain(toneOf(name));
    expect(toneOf(name)).toBe(toneOf(name));
  }
});
