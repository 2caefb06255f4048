import { expect, test } from 'vitest';
import { textFields, textTable } from './table.ts';

test('untrusted text in a table cannot move the cursor or change the terminal', () => {
  const lines = [
    ...textTable(['BROWSER'], [['a\u001b[2J\u009b31m\nb']], 'none'),
    ...textFields({ name: 'x\r\u001b]0;y\u0007' }),
  ];

  expect(lines).toEqual(['BROWSER', 'a\ufffd[2J\ufffd31m\ufffdb', 'name  x\ufffd\ufffd]0;y\ufffd']);
});
