import { expect, test } from 'vitest';
import { cleanCode, isAppCode } from './code.ts';

test.each([
  ['123456', '123456'],
  [' 123 456 ', '123456'],
  ['123-456', '123456'],
  ['123–456', '123456'],
  ['１２３４５６', '123456'],
  ['12345', '12345'],
  ['123−456', '123456'],
  ['abcde-fghij', 'abcde-fghij'],
  ['abcde–fghij', 'abcde-fghij'],
  [' abcde-fghij\n', 'abcde-fghij'],
  ['12345-67890', '12345-67890'],
  ['', ''],
])('%j is sent as %j', (typed, code) => {
  expect(cleanCode(typed)).toBe(code);
});

test('only six digits are a complete code of an authenticator app', () => {
  expect(isAppCode('123456')).toBe(true);
  for (const code of ['12345', '1234567', '12345a', '']) expect(isAppCode(code)).toBe(false);
});
