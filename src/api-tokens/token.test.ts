import { expect, test } from 'vitest';
import { parseTokenPrefixes } from '../settings/parse-token-prefixes.ts';
import { isToken } from './token.ts';

const digits = '0123456789abcdef'.repeat(4);

test('a token of a former service is recognized only if the settings contain its prefix', () => {
  expect(isToken(`tok_${digits}`, [])).toBe(true);
  expect(isToken(`mbk_${digits}`, [])).toBe(false);
  expect(isToken(`mbk_${digits}`, parseTokenPrefixes('old_, mbk_'))).toBe(true);
  expect(isToken(`mbk_${digits}0`, ['mbk_'])).toBe(false);
  expect(isToken(`xmbk_${digits}`, ['mbk_'])).toBe(false);
});

test.each(['mbk', '_', 'MBK_', 'mbk_,', `${'x'.repeat(16)}_`])('%s is refused as a list of prefixes', (text) => {
  expect(() => parseTokenPrefixes(text)).toThrow('prefixes separated by commas');
});
