import { expect, test } from 'vitest';
import { browserNames, createBrowserReader } from './browser-names.ts';

test.each([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0', 'Firefox 128', 'Linux'],
  [
    'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36',
    'Chrome 126',
    'Android',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1',
    'Safari 17',
    'iOS',
  ],
  ['curl/8.1', null, null],
  ['Firefox/<b>1</b>', 'Firefox', null],
  ['program/<b>bold', null, null],
  ['\u202e', null, null],
  ['', null, null],
])('from the User-Agent header %s, the browser is read as %s and the system as %s', (userAgent, browser, system) => {
  expect(browserNames(userAgent)).toEqual({ browser, system });
});

test('a reader always gives the same names for a header, and parses each header only once', () => {
  const read = createBrowserReader();
  const header = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';

  expect(read(header)).toEqual(browserNames(header));
  expect(read(header)).toBe(read(header));
});
