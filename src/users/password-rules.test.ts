import { expect, test } from 'vitest';
import { contextWords, newPasswordRefusal, passwordLengthError } from './password-rules.ts';

const refusedAs = (reason: string) => ({ code: 'PASSWORD_TOO_COMMON', parameters: { reason } });

test.each(['password1', 'PASSWORD1', 'iloveyou', '12345678', 'qwertyuiop'])(
  'the password %s is refused as one of the most common passwords',
  (password) => {
    expect(newPasswordRefusal(password, [])).toMatchObject(refusedAs('common'));
  },
);

const words = contextWords('alice', { APP_NAME: 'portal', BRAND_NAME: 'Harbour Portal' });

test.each([['portal2026'], ['Alice-1999'], ['PORTAL!!'], ['harbour portal 1']])(
  'the password %s is refused because it consists of the name of the user or the application',
  (password) => {
    expect(newPasswordRefusal(password, words)).toMatchObject(refusedAs('context'));
  },
);

test.each([
  ['rené', 'René12345'],
  ['москва-портал', 'Москва-Портал!'],
  ['r2d2', 'r2d2!!!!'],
  ['80237155112', '80237155112'],
])('the name %s is found in the password %s, whatever the case of its letters', (name, password) => {
  expect(newPasswordRefusal(password, [name])).toMatchObject(refusedAs('context'));
});

test('a password of other digits is accepted for a user whose name consists of digits', () => {
  expect(newPasswordRefusal('80012345-77', ['42'])).toBeUndefined();
});

test.each(['right-horse', 'aaaaaaaa bbbb', 'p'.repeat(255), 'ключ от дома'])(
  'the password %s is accepted',
  (password) => {
    expect(newPasswordRefusal(password, words)).toBeUndefined();
  },
);

test('the length of a password is counted in characters, however they are composed', () => {
  expect(passwordLengthError('ä'.repeat(8).normalize('NFD'))).toBeUndefined();
  expect(passwordLengthError('ä'.repeat(7).normalize('NFD'))).toBe('PASSWORD_TOO_SHORT');
  expect(passwordLengthError('🐎'.repeat(255))).toBeUndefined();
  expect(passwordLengthError('p'.repeat(256))).toBe('PASSWORD_TOO_LONG');
});
