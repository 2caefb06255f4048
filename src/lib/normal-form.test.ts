import { expect, test } from 'vitest';
import { normalForm } from './normal-form.ts';

test('characters are counted after the text is converted to the normal form', () => {
  expect(normalForm('e\u0301', 'NFC', 1)).toBe('é');
  expect(normalForm('\u{1D400}b', 'NFKC', 2)).toBe('Ab');
  expect(normalForm('\uFDFA', 'NFKC', 17)).toBeUndefined();
  expect(normalForm('\uFDFA', 'NFKC', 18)).toHaveLength(18);
  expect(normalForm('', 'NFC', 0)).toBe('');
});

test('every Unicode character counts as one, even in its longest spelling', () => {
  for (let code = 0; code <= 0x10ffff; code += 1) {
    const text = String.fromCodePoint(code);
    const composed = text.normalize('NFC');
    if ([...composed].length !== 1) continue;
    const longest = text.normalize('NFD');
    if (normalForm(`${longest}x`, 'NFC', 2) !== `${composed}x`) expect.fail(`U+${code.toString(16)}`);
  }
});

test('a text that is much too long is refused without being normalized', () => {
  const marks = `a${'\u0315'.repeat(16_000)}${'\u0334'.repeat(16_000)}`;
  const begin = performance.now();
  for (let time = 0; time < 1000; time += 1) expect(normalForm(marks, 'NFKC', 255)).toBeUndefined();
  expect(performance.now() - begin).toBeLessThan(400);
});
