import { expect, test } from 'vitest';
import { cleanText } from './plain-text.ts';

test('what turns, hides or breaks a line is taken out, and the rest stays as written', () => {
  expect(cleanText('a\u202eb\u200b\n<script>')).toBe('a b <script>');
  expect(cleanText('  Zoë’s  laptop\t2 ')).toBe('Zoë’s laptop 2');
  expect(cleanText('nul\0 and half \ud800')).toBe('nul and half');
  expect(cleanText('\u200b\u2028')).toBe('');
});
