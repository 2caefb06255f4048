import { expect, test } from 'vitest';
import { toHyphens } from './dashes.ts';

test.each(['-', '‐', '‑', '‒', '–', '—', '―', '−', '－', '﹣', '﹘'])('%s counts as a hyphen', (dash) => {
  expect(toHyphens(`ABCDE${dash}FGHIJ`)).toBe('ABCDE-FGHIJ');
});

test('other signs and letters stay', () => {
  expect(toHyphens('ab_c~d.é')).toBe('ab_c~d.é');
});
