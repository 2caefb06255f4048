import { expect, test } from 'vitest';
import { cleanText, toPrintable, toPrintableJson } from './plain-text.ts';

test('characters that reverse, hide or break a line are removed, and all others stay', () => {
  expect(cleanText('a\u202eb\u200b\n<script>')).toBe('a b <script>');
  expect(cleanText('  Zoë’s  laptop\t2 ')).toBe('Zoë’s laptop 2');
  expect(cleanText('nul\0 and half \ud800')).toBe('nul and half');
  expect(cleanText('\u200b\u2028')).toBe('');
});

test.each([
  '\u3164',
  '\u2800',
  '\u034f',
  '\ufe0f',
  '\u115f',
  '\u17b5',
  '\u{1d159}',
  '\u{e0100}',
  '\u{13441}',
  '\u200d\ufe0f \u2800',
  '\u0301',
])('the invisible text %j becomes an empty string', (text) => {
  expect(cleanText(text)).toBe('');
});

test.each([
  '👩‍💻 laptop',
  '❤️ laptop',
  '🏴󠁧󠁢󠁥󠁮󠁧󠁿',
  '1️⃣',
  '葛󠄀城',
  'ᠠ᠋',
  'A\u0301da'.normalize('NFC'),
  'می\u200cخواهم',
  'क्\u200dष',
])('the visible text %s stays unchanged', (text) => {
  expect(cleanText(text)).toBe(text);
});

test.each([
  ['a\u200db', 'a b'],
  ['م\u200c\u200cم', 'م م'],
  ['م\u200c', 'م'],
  ['a\ufe0f\ufe0fb', 'a\ufe0f b'],
  ['a \ufe0fb\u3164', 'a b'],
  ['❤️\u200d\u202e❤️', '❤️ ❤️'],
])('invisible characters are removed from %j', (text, clean) => {
  expect(cleanText(text)).toBe(clean);
});

test('terminal control characters are replaced, and words in any script stay unchanged', () => {
  expect(toPrintable('a\u001b[2J\u009b31m\n\u202eb\u2066c\u200f\u061c\ufeff\ud800')).toBe('a�[2J�31m��b�c����');
  expect(toPrintable('Zoë 👩‍💻 می\u200cخواهم')).toBe('Zoë 👩‍💻 می\u200cخواهم');
});

test('JSON text contains no terminal control characters and keeps its value', () => {
  const value = { name: 'a\u001b\u009b\u202e\u2028\ufeff\ud800b', of: ['👩‍💻'] };

  const text = toPrintableJson(value);

  expect(text).toBe('{"name":"a\\u001b\\u009b\\u202e\\u2028\\ufeff\\ud800b","of":["👩‍💻"]}');
  expect(JSON.parse(text)).toEqual(value);
});
