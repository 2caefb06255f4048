import { expect, test } from 'vitest';
import { parseAppNames, parseFullName } from './fields.ts';

function refusalOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

test.each(['a\nb', 'a\ud800', 'a\u202eb', '\u2066a\u2069', 'a\u200fb', '\u3164', '\u2800', '\u200d', 'n'.repeat(256)])(
  '%j is refused as a full name and as the key of an application',
  (text) => {
    expect(refusalOf(() => parseFullName(text))).toMatchObject({
      code: 'FIELD_INVALID',
      parameters: { field: 'full_name' },
    });
    expect(refusalOf(() => parseAppNames(['crm', text]))).toMatchObject({ parameters: { field: 'allowed_apps' } });
  },
);

test.each(['', '👩‍💻 Ada', 'Ada ❤️', 'می‌خواهم', '葛󠄀城', "Zoë O'Neil <x>"])('%j is accepted as a full name', (text) => {
  expect(parseFullName(`  ${text} `)).toBe(text);
});
