import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isAccountId, parseAccountId } from './account-id.ts';

test.each([
  [4711, '4711'],
  [0, '0'],
  [Number.MAX_SAFE_INTEGER, '9007199254740991'],
  ['4711', '4711'],
  ['0042', '0042'],
  [' 42', ' 42'],
  ['auth0|Ümläut 1', 'auth0|Ümläut 1'],
])('%j is parsed as the account id %j', (value, text) => {
  expect(parseAccountId(value)).toEqual({ isUsable: true, text });
});

test.each([
  [2 ** 53],
  [-1],
  [1.5],
  [Number.NaN],
  [''],
  ['x'.repeat(256)],
  ['a\nb'],
  ['a\u0000'],
  ['\ud800'],
  [null],
  [undefined],
  [true],
  [['4711']],
  [{ id: 4711 }],
])('%j is refused as an account id', (value) => {
  expect(parseAccountId(value)).toEqual({ isUsable: false, problem: expect.any(String) });
});

test('a number that JSON.parse may have rounded is refused, and the error says what to do', () => {
  expect(JSON.parse('9007199254740993')).toBe(2 ** 53);
  expect(parseAccountId(2 ** 53)).toMatchObject({
    problem: 'not a whole number below 2^53; a larger id must be text, because programs round larger numbers',
  });
  expect(parseAccountId('9007199254740993')).toEqual({ isUsable: true, text: '9007199254740993' });
});

test('different whole numbers are different accounts', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.maxSafeNat(), (one, other) => {
      const [first, second] = [parseAccountId(one), parseAccountId(other)];
      expect([first.isUsable, second.isUsable]).toEqual([true, true]);
      expect(JSON.stringify(first) === JSON.stringify(second)).toBe(one === other);
    }),
  );
});

test('any JSON value is either a valid id or refused with a reason', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const id = parseAccountId(value);
      expect(id.isUsable ? isAccountId(id.text) : id.problem).toBeTruthy();
    }),
  );
});
