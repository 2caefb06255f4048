import { expect, test } from 'vitest';
import { parseEmail } from './email-address.ts';

test.each([
  ['ada@example.test', 'ada@example.test'],
  ['  Ada.L+news@Example.Test ', 'Ada.L+news@example.test'],
  ['root@mail', 'root@mail'],
  ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
  [`${'a'.repeat(64)}@example.test`, `${'a'.repeat(64)}@example.test`],
])('%s is accepted as an e-mail address', (text, address) => {
  expect(parseEmail(text)).toEqual({ address, key: address.toLowerCase() });
});

test.each([
  '',
  'a',
  '@example.test',
  'a@',
  'a@b@c',
  'a@example.test\r\nBcc: x@example.test',
  'a\r\nBcc:x@example.test',
  'a b@example.test',
  '"a b"@example.test',
  'ada@example..test',
  'ada@-example.test',
  'ada@example.test.',
  'ada@[127.0.0.1]',
  'ada@exam ple.test',
  'Ada <ada@example.test>',
  'ada@example.test, bob@example.test',
  `${'a'.repeat(65)}@example.test`,
  `${'x'.repeat(300)}@example.test`,
  `a@${'b'.repeat(64)}.test`,
  `a@${'b.'.repeat(130)}test`,
])('%j is not accepted as an e-mail address', (text) => {
  expect(parseEmail(text)).toBeUndefined();
});
