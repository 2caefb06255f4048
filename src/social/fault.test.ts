import { expect, test } from 'vitest';
import { fieldNames, logText } from './fault.ts';

const SECRETS = ['the-code-4711', 'päss wörd/+'];

test.each([
  ['Client authentication failed', 'Client authentication failed'],
  ['two\nlines\r\n\u0000and\u001b[31m control', 'two lines and [31m control'],
  ['turned \u202eround\u202c', 'turned round'],
  ['code the-code-4711 was used', 'code [removed] was used'],
  ['secret päss wörd/+ and p%C3%A4ss%20w%C3%B6rd%2F%2B', 'secret [removed] and [removed]'],
  ['token gho_16C7e42F292c6912E7710c838347Ae178B4a ended', 'token [removed] ended'],
  ['jwt eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.', 'jwt [removed]'],
  ['Basic dGhlLWNsaWVudDpzZWNyZXQxMjM0NTY=', 'Basic [removed]'],
  ['trace 0c5ad4f6-5e43-4e8a-9a0e-0a8d1f2f9b11', 'trace 0c5ad4f6-5e43-4e8a-9a0e-0a8d1f2f9b11'],
  [
    'invalid https://auth.example.com/authsvc/api/forge/login/callback',
    'invalid https://auth.example.com/authsvc/api/forge/login/callback',
  ],
  ['AADSTS7000215: Invalid client secret provided', 'AADSTS7000215: Invalid client secret provided'],
  ['internationalisation-of-everything', 'internationalisation-of-everything'],
])('the text %j of a provider is logged as %j', (text, logged) => {
  expect(logText(text, SECRETS)).toBe(logged);
});

test('a long text of a provider is shortened in the log', () => {
  expect(logText('word '.repeat(1000))).toHaveLength(201);
});

test('a secret that the shortening would split is removed completely', () => {
  const text = `${'x '.repeat(95)}the-code-4711`;

  expect(logText(text, SECRETS)).not.toContain('the-c');
});

test('a secret that is empty or very short does not change the text', () => {
  expect(logText('an error', ['', 'err'])).toBe('an error');
});

test('the names of the fields of a reply are listed, but not their values', () => {
  expect(fieldNames({ access_token: 'gho_secret', scope: null })).toBe('access_token, scope');
  expect(fieldNames({})).toBe('none');
});

test('the list of field names is shortened if there are many names or long ones', () => {
  const names = fieldNames(Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`${'n'.repeat(60)} ${at}`, 1])));

  expect(names).toMatch(/ and 480 more$/);
  expect(names.length).toBeLessThan(1000);
});
