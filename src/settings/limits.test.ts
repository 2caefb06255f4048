import { expect, test } from 'vitest';
import { parseRateLimits, unknownSocialLimits } from './limits.ts';

test('RATE_LIMITS=on changes no limit, and RATE_LIMITS=off is parsed as a value of its own', () => {
  expect(parseRateLimits('on')).toEqual({});
  expect(parseRateLimits('off')).toBe('off');
});

test.each([
  ['login=20/60s', { login: { points: 20, windowSeconds: 60 } }],
  [
    'login=20/60s,login-page=60/60s',
    { login: { points: 20, windowSeconds: 60 }, 'login-page': { points: 60, windowSeconds: 60 } },
  ],
  [
    ' terminate-all = 1 / 86400s , info=1000000/1s ',
    {
      'terminate-all': { points: 1, windowSeconds: 86_400 },
      info: { points: 1_000_000, windowSeconds: 1 },
    },
  ],
])('RATE_LIMITS=%s is parsed', (text, limits) => {
  expect(parseRateLimits(text)).toEqual(limits);
});

test.each([
  'logn=20/60s',
  'login=20',
  'login=20/60',
  'login=20/1m',
  'login=0/60s',
  'login=20/0s',
  'login=-1/60s',
  'login=1.5/60s',
  'login=1e3/60s',
  'login=1000001/60s',
  'login=20/86401s',
  'login=20/60s,login=30/60s',
  'login=20/60s,',
  'login=20/60s;info=1/1s',
  'login:20/60s',
  'LOGIN=20/60s',
  'constructor=20/60s',
  '__proto__=20/60s',
  'on,login=20/60s',
  'login=off',
  'social-=1/1s',
  'social-A=1/1s',
  'Off',
  'none',
])('RATE_LIMITS=%s is refused with a message that says what was expected', (text) => {
  expect(() => parseRateLimits(text)).toThrow(/NAME=REQUESTS\/SECONDSs.*login-page/);
});

test('a limit for a provider is refused if there is no such provider', () => {
  const changed = parseRateLimits('social-forge=1/60s,social-codehost=2/60s,login=3/60s');

  expect(unknownSocialLimits(changed, ['codehost', 'forge'])).toEqual([]);
  expect(unknownSocialLimits(changed, ['codehost'])).toEqual(['social-forge']);
  expect(unknownSocialLimits('off', [])).toEqual([]);
});
