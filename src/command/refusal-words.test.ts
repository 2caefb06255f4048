import { expect, test } from 'vitest';
import { AppError, type ErrorParameters } from '../errors/app-error.ts';
import { errorNames } from '../errors/registry.ts';
import { exitCodeOf, refusalWords } from './refusal-words.ts';

const parameters: ErrorParameters = {
  field: 'full_name',
  reason: 'context',
  maximum: 10,
  username: 'ada',
  key: 'backups',
  id: 7,
  provider: 'codehost',
  providerAccount: '42',
};

test.each(errorNames)('the text of the error %s has no missing part', (name) => {
  const words = refusalWords(new AppError(name, parameters));

  expect(words.length).toBeGreaterThan(10);
  expect(words).not.toMatch(/undefined|null|\bNaN\b/);
});

test('the text of a refusal names the user or field that it is about', () => {
  const words = (...given: ConstructorParameters<typeof AppError>) => refusalWords(new AppError(...given));

  expect(words('USER_NOT_FOUND', { username: 'a"b' })).toBe('There is no user called "a\\"b".');
  expect(words('FIELD_INVALID', { field: 'image', maximum: 9 })).toContain('The image must have at most 9 characters');
  expect(words('REF_UNKNOWN', { id: 'nope' })).toBe('There is no grant "nope".');
  expect(words('REF_UNKNOWN', { username: 'ada', id: 'nope' })).toBe('ada has no passkey "nope".');
  expect(words('FIELD_INVALID', { field: 'elsewhere' })).toContain('A field has an invalid value');
});

test.each([
  ['USERNAME_INVALID', 2],
  ['FIELD_INVALID', 2],
  ['ID_INVALID', 2],
  ['PASSWORD_TOO_SHORT', 1],
  ['PASSWORD_TOO_COMMON', 1],
  ['USERNAME_TAKEN', 1],
  ['USER_NOT_FOUND', 1],
  ['PROFILE_NOT_FOUND', 1],
] as const)('the error %s ends a command with the exit code %d', (name, code) => {
  expect(exitCodeOf(new AppError(name))).toBe(code);
});
