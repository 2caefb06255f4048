import { expect, test } from 'vitest';
import { isUuid, newUuid, randomText } from './random.ts';

test('a new UUID has version 4, and other text is not accepted as a UUID', () => {
  expect(newUuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(isUuid(newUuid().toUpperCase())).toBe(true);
  expect(isUuid(`${newUuid()}x`)).toBe(false);
  expect(isUuid('')).toBe(false);
});

test('random text has the requested number of bytes', () => {
  expect(Buffer.from(randomText(24), 'base64url')).toHaveLength(24);
});
