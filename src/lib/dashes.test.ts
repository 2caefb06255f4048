import { expect, test } from 'vitest';
import { toHyphens } from './dashes.ts';

test.each(['-', '‐', '‑', '‒', '–', '—', '―', '−', '－', '﹣', '﹘'])(
  'the dash %s is replaced with a hyphen',
  (dash) => {
    expect(toHyphens(`ABCDE${dash}FGHIJ`)).toBe('ABCDE-FGHIJ');
  },
);

test('other signs and letters stay unchanged', () => {
  expect(toHyphens('ab_c~d.é')).toBe('ab_c~d.é');
});
