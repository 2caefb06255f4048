import { describe, expect, test } from 'vitest';
import type { ObservedQuery } from '../db/handle.ts';
import { HIDDEN, maskError, maskValues } from './mask.ts';

const query = (params: Record<string, unknown>, values: unknown[] = Object.values(params)): ObservedQuery => ({
  name: 'things.find',
  sql: 'select 1',
  values,
  params,
});

describe('a text among the parameters of a query', () => {
  test('a text is shown if its parameter has a name that is known to be harmless', () => {
    expect(maskValues(query({ role: 'normaluser', scope: 'read-only', name: 'ci' }))).toEqual([
      'normaluser',
      'read-only',
      'ci',
    ]);
  });

  test.each(['hash', 'secret', 'id', 'token', 'device', 'code', 'redirect', 'key', 'whatever'])(
    'a text is hidden if its parameter has the name %s',
    (name) => {
      expect(maskValues(query({ [name]: 'plain words' }))).toEqual([HIDDEN]);
    },
  );

  test.each([
    ['a password hash', '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA'],
    ['a session id', '0b0f5d2e-8a4c-4c58-9f35-7d1f5a2f9c11'],
    ['an API token', `tok_${'a1'.repeat(32)}`],
    ['a SHA-256', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['a sealed text', 'v1.c2VhbGVk'],
    ['a TOTP code', '123456'],
    ['a code for a device', 'ABCD-2345'],
    ['a random text', 'k8D0-3jf_aL9x2Qp7Zt4Vw6Yb1Nc5Me8Rs0Ug3Hi'],
  ])('a text that looks like %s is hidden under any name', (_what, text) => {
    expect(maskValues(query({ name: text }))).toEqual([HIDDEN]);
  });

  test('a text is hidden if it is the value of a harmless parameter and also of a secret one', () => {
    expect(maskValues(query({ name: 'same words', hash: 'same words' }))).toEqual([HIDDEN, HIDDEN]);
  });

  test('a value is hidden if it belongs to no named parameter or is no plain value', () => {
    expect(maskValues(query({ name: 'ci' }, ['made inside the query', Buffer.from('bytes'), ['a']]))).toEqual([
      HIDDEN,
      HIDDEN,
      HIDDEN,
    ]);
  });
});

test('numbers, booleans and empty values among the parameters are shown', () => {
  expect(
    maskValues(query({ id: 7, now: 1_700_000_000_000, big: 9n, is: true, no: null, gone: undefined, empty: '' })),
  ).toEqual([7, 1_700_000_000_000, '9', true, null, null, '']);
});

test('the message of an error contains none of the hidden texts', () => {
  const failed = query({ hash: 'very secret words', name: 'ci' });

  expect(maskError(new Error('no such hash: very secret words (ci)'), failed)).toBe(`no such hash: ${HIDDEN} (ci)`);
});
