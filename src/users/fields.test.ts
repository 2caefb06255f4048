import { expect, test } from 'vitest';
import { parseAppNames, parseFullName } from './fields.ts';

test.each(['a\nb', 'a\ud800', 'a\u202eb', '\u2066a\u2069', 'a\u200fb', '\u3164', '\u2800', '\u200d', 'n'.repeat(256)])(
  '%j is neither a full name nor an application',
  (text) => {
    expect(() => parseFullName(text)).toThrow('The full name must be');
    expect(() => parseAppNames(['crm', text])).toThrow('The application must be');
  },
);

test.each(['', '👩‍💻 Ada', 'Ada ❤️', 'می‌خواهم', '葛󠄀城', "Zoë O'Neil <x>"])('%j is kept as a full name', (text) => {
  expect(parseFullName(`  ${text} `)).toBe(text);
});
