import { expect, test } from 'vitest';
import { type AuthOptions, createAuth } from './auth.ts';

const options = { server: 'https://auth.example.com', app: 'portal' };

test('invalid options are rejected with a TypeError', () => {
  const wrong: Partial<Record<keyof AuthOptions, unknown>>[] = [
    { server: undefined },
    { server: '' },
    { server: 'auth.example.com' },
    { server: 'ftp://auth.example.com' },
    { server: 'https://auth.example.com/path' },
    { server: 'https://ada:x@auth.example.com' },
    { server: 'https://auth.example.com/?a' },
    { app: undefined },
    { app: '' },
    { app: 'x' },
    { app: 'no spaces' },
    { app: '1st' },
    { secret: '' },
    { secret: null },
    { url: 'portal' },
    { url: 'https://portal.example.com/path' },
    { origins: 'https://portal.example.com' },
    { origins: ['null'] },
    { timeoutMs: 0 },
    { timeoutMs: '3000' },
    { timeoutMs: Number.NaN },
    { maxAnswers: -1 },
    { maxAnswers: 1.5 },
    { fetch: 'fetch' },
  ];
  for (const change of wrong) {
    const given = { ...options };
    Object.assign(given, change);
    expect(() => createAuth(given), JSON.stringify(change)).toThrow(TypeError);
  }
});

test('the URLs of the pages contain the complete return URL, encoded', () => {
  const auth = createAuth({ ...options, server: 'https://auth.example.com/' });
  const back = 'https://portal.example.com/reports?a=1&b=2#c=%20ü';
  expect(auth.loginUrl(back)).toBe(`https://auth.example.com/authsvc/login?redirect=${encodeURIComponent(back)}`);
  expect(auth.logoutUrl(back)).toBe(`https://auth.example.com/authsvc/logout?redirect=${encodeURIComponent(back)}`);
  expect(auth.accountsUrl(back)).toBe(`https://auth.example.com/authsvc/accounts?redirect=${encodeURIComponent(back)}`);
  expect(auth.loginUrl()).toBe('https://auth.example.com/authsvc/login');
  expect(auth.loginUrl('/a\ud800')).toBe('https://auth.example.com/authsvc/login?redirect=%2Fa%EF%BF%BD');
});
