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
])('%j is the account %j', (told, id) => {
  expect(parseAccountId(told)).toBe(id);
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
])('%j is no account', (told) => {
  expect(() => parseAccountId(told)).toThrow(expect.objectContaining({ code: 'PROVIDER_ANSWER_INVALID' }));
});

test('whole numbers that differ are accounts that differ', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.maxSafeNat(), (one, other) => {
      expect(parseAccountId(one) === parseAccountId(other)).toBe(one === other);
    }),
  );
});

test('whatever is told, an id that can be linked comes out, or a refusal', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (told) => {
      try {
        expect(isAccountId(parseAccountId(told))).toBe(true);
      } catch (error) {
        expect(error).toMatchObject({ code: 'PROVIDER_ANSWER_INVALID' });
      }
    }),
  );
});
