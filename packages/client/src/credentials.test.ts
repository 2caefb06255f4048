import { expect, test } from 'vitest';
import { credentialsOf } from './credentials.ts';

const TOKEN = `tok_${'0'.repeat(64)}`;
const asked = (...given: Parameters<typeof credentialsOf>) => credentialsOf(...given)?.headers;
const basic = (pair: string) => `Basic ${btoa(pair)}`;

test('only the session cookies are sent to authsvc, each once, whatever kind of object holds the headers', () => {
  const cookie = 'a=b; session_id=one;session_id = two ; xsession_id=3; session_id=one; session_id=; session_id';
  const expected = { cookie: 'session_id=one; session_id=two' };
  for (const from of [
    { cookie },
    { cookie: cookie.split(';') },
    new Headers({ cookie }),
    new Request('http://x', { headers: { cookie } }),
  ])
    expect(asked(from, false)).toEqual(expected);
});

test('without a session cookie nothing is sent to authsvc', () => {
  for (const cookie of ['', 'a=b', 'session_id', 'session_id=', `session_id=${'x'.repeat(1001)}`, 'SESSION_ID=x'])
    expect([cookie, asked({ cookie }, true)]).toEqual([cookie, undefined]);
  expect(asked({}, true)).toBeUndefined();
});

test('a session cookie with characters that authsvc never uses is not sent to authsvc', () => {
  for (const value of ['\0', 'x\r\ny: z', '\u{1f600}', 'ä', 'one two', '\x7f']) {
    expect([value, asked({ cookie: `session_id=${value}` }, true)]).toEqual([value, undefined]);
    expect(asked({ cookie: `session_id=${value}; session_id=one` }, true)).toEqual({ cookie: 'session_id=one' });
  }
});

test('if tokens are accepted, a token in the Authorization header (Bearer, or the password of Basic) is used instead of the session cookie', () => {
  const cookie = 'session_id=x';
  for (const authorization of [`Bearer ${TOKEN}`, `bearer  ${TOKEN}`, basic(`git:${TOKEN}`), basic(`:${TOKEN}`)]) {
    expect(asked({ cookie, authorization }, true)).toEqual({ authorization: `Bearer ${TOKEN}` });
    expect(asked({ cookie, authorization }, false)).toEqual({ cookie });
  }
});

test('an Authorization header without an API token is ignored, because it belongs to the application', () => {
  for (const authorization of [
    '',
    'Bearer',
    'Bearer x',
    basic(TOKEN),
    basic('ada:secret'),
    'Basic %',
    `Digest ${TOKEN}`,
  ])
    expect([authorization, asked({ cookie: 'session_id=x', authorization }, true)]).toEqual([
      authorization,
      { cookie: 'session_id=x' },
    ]);
});

test('if a token is too long for authsvc, nothing is sent to authsvc, not even the session cookie of the same request', () => {
  const authorization = `Bearer tok_${'x'.repeat(2000)}`;
  expect(asked({ cookie: 'session_id=x', authorization }, true)).toBeUndefined();
});

test('different credentials have different cache keys', () => {
  const keys = [
    { cookie: 'session_id=one;session_id=two' },
    { cookie: 'session_id=two;session_id=one' },
    { cookie: 'session_id=onetwo' },
    { cookie: `session_id=${TOKEN}` },
    { cookie: `session_id=Bearer ${TOKEN}` },
    { authorization: `Bearer ${TOKEN}` },
  ].map((from) => credentialsOf(from, true)?.key);
  expect(new Set(keys).size).toBe(keys.length);
});
