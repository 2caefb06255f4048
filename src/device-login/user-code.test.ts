import { expect, test } from 'vitest';
import { newUserCode, parseUserCode } from './user-code.ts';

test('user codes differ, contain no vowels and no letters that look alike, and use every letter equally often', () => {
  const codes = Array.from({ length: 10_000 }, newUserCode);

  const counts = new Map<string, number>();
  for (const letter of codes.join('').replaceAll('-', '')) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  const expected = 80_000 / counts.size;
  const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);

  expect(new Set(codes).size).toBe(10_000);
  expect(codes.every((code) => /^[BCDFGHJKMNPQRSTVWXZ]{4}-[BCDFGHJKMNPQRSTVWXZ]{4}$/.test(code))).toBe(true);
  expect(Math.log2(counts.size) * 8).toBeGreaterThan(20);
  expect(chiSquare).toBeLessThan(60);
});

test('a user code is accepted in every usual way of typing it, and other texts are refused', () => {
  const typed = [
    'BCDF-GHJK',
    'bcdf-ghjk',
    'BCDFGHJK',
    'bcdf ghjk',
    ' BCDF-GHJK\t',
    'BCDF–GHJK',
    'BCDF−GHJK',
    'BCDF‑GHJK',
    'ＢＣＤＦ－ＧＨＪＫ',
    'b-c-d-f-g-h-j-k',
  ];
  const odd = ['', 'BCDF-GHJ', 'BCDF-GHJKM', '\0\0\0\0-AAAA', 'BCDF_GHJK', '<i id=x>', 'BCDFGHJÄ', 'BCDF-GHJK;'];

  expect(typed.map(parseUserCode)).toEqual(typed.map(() => 'BCDF-GHJK'));
  expect(odd.map(parseUserCode)).toEqual(odd.map(() => undefined));
});
