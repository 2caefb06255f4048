import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseWholeUrl, safeRedirect } from './safe-redirect.ts';

test.each([
  '/',
  '/app',
  '/app?a=1&b=%2F%2Fevil.example',
  '/app#part',
  '/caf%C3%A9',
  '/café',
  '/a//b',
  '/@user',
  '/app?q=hello world',
  '/a b',
  '/a#b c',
  '/app ',
  '/ /evil.example',
  '/ //evil.example',
  '/. //evil.example',
  '/ ..//evil.example',
  '/ @evil.example',
  '/%20//evil.example',
  '/%2f/evil.example',
  '/%2fevil.example',
  '/%5cevil.example',
  '/%09/evil.example',
  '/a?x=\\',
  '/a?x=/\\evil.example',
  '/?\\\\evil.example',
  '/#/\\evil.example',
  '/?//evil.example',
  '/\u00a0/evil.example',
  '/\u2028/evil.example',
  '/\uff0fevil.example',
])('the path %j is returned unchanged', (path) => {
  expect(safeRedirect(path, '/home')).toBe(path);
});

test.each([
  'https://evil.example/',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '/\\/evil.example',
  '/a\\b',
  '/a/..\\/evil.example',
  '/ \\evil.example',
  '/.//evil.example',
  '/..//evil.example',
  '/%2e//evil.example',
  '/%2E%2e//evil.example',
  '/a/..//evil.example',
  '/ /..//evil.example',
  '/..//evil.example?x=\\',
  '/\t/evil.example',
  '/\n/evil.example',
  '/\r/evil.example',
  '/\0/evil.example',
  '/\x1f/evil.example',
  '/\x7f/evil.example',
  '/\u0080/evil.example',
  '/\u0085/evil.example',
  '/\u009f',
  '/a?x=\t',
  '/a?x=\u0085',
  '/a#\n',
  '/app\n',
  '/a\r\nset-cookie: x=1',
  ' /app',
  ' //evil.example',
  '\u00a0/app',
  '\ufeff//evil.example',
  'javascript:alert(1)',
  'evil.example',
  '?x',
  '#x',
  '',
  `/${'x'.repeat(2048)}`,
  '/\ud800',
  undefined,
  null,
  7,
  ['/app'],
  { path: '/app' },
])('%j is replaced with the fallback', (value) => {
  expect(safeRedirect(value, '/home')).toBe('/home');
});

test('a path with a control character in its query or fragment is replaced with the fallback', () => {
  const isControl = (code: number) => code < 0x20 || (code >= 0x7f && code < 0xa0);
  for (let code = 0; code <= 0xff; code += 1) {
    const asked = [`/a?x=${String.fromCharCode(code)}`, `/a#${String.fromCharCode(code)}b`];
    const expected = isControl(code) ? ['/home', '/home'] : asked;
    expect([code, ...asked.map((address) => safeRedirect(address, '/home'))]).toEqual([code, ...expected]);
  }
});

test('whatever the input, the result keeps a browser on its origin, even if the browser parses the URL twice', () => {
  const signs = ['/', '\\', '.', '..', ':', '@', '\t', '\n', '%2e', '%2f', '%5c', '?', '#', ' ', '\u00a0', '\u0085'];
  const piece = fc.constantFrom(...signs, 'evil.example');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const target = safeRedirect(`/${pieces.join('')}`, '/home');
      const url = new URL(target, 'https://auth.example.test/authsvc/login');
      expect(url.origin).toBe('https://auth.example.test');
      const again = new URL(url.pathname + url.search + url.hash, url);
      expect([again.origin, again.pathname]).toEqual([url.origin, url.pathname]);
    }),
    { numRuns: 5000 },
  );
});

const HOST = 'https://portal.example.test';

test.each([
  ['https://portal.example.test', HOST],
  ['HTTPS://PORTAL.example.TEST:443/A%2fb', `${HOST}/A%2fb`],
  ['https://portal%2eexample.test/', `${HOST}/`],
  ['https://portal\u3002example.test/', `${HOST}/`],
  ['https://por\u00adtal.example.test/', `${HOST}/`],
  ['https://b\u00fccher.example.test/x', 'https://xn--bcher-kva.example.test/x'],
  ['http://127.0.0.1:8765?x=1', 'http://127.0.0.1:8765?x=1'],
  ['http://0x7f.1/', 'http://127.0.0.1/'],
  ['http://[::1]:3000/', 'http://[::1]:3000/'],
  [`${HOST}//double//slash/../x/./y?x=//y`, `${HOST}//double//slash/../x/./y?x=//y`],
  [`${HOST}/p?q=a+b&q=c&empty=&flag&x=%2B#part?x=1&y=\\`, `${HOST}/p?q=a+b&q=c&empty=&flag&x=%2B#part?x=1&y=\\`],
  [`${HOST}/\u6771 x`, `${HOST}/\u6771 x`],
  [`${HOST}?@evil.example`, `${HOST}?@evil.example`],
  [`${HOST}/@evil.example:80`, `${HOST}/@evil.example:80`],
])('the URL %j is parsed as %j', (text, url) => {
  expect(parseWholeUrl(text)).toEqual({ origin: new URL(text).origin, url });
  expect(new URL(url).origin).toBe(new URL(text).origin);
});

test.each([
  '/app',
  'portal.example.test/',
  '//portal.example.test/',
  'https:portal.example.test/',
  'https:/portal.example.test/',
  'https:///portal.example.test/',
  'https:\\\\portal.example.test/',
  'https://',
  'https://?x',
  'ftp://portal.example.test/',
  'javascript://portal.example.test/%0aalert(1)',
  'https://user@portal.example.test/',
  'https://@portal.example.test/',
  'https://portal.example.test@evil.example/',
  'https://portal.example.test\\@evil.example/',
  'https://portal.example.test\\.evil.example/',
  'https://portal.example.test/a\\b',
  'https://portal.example.test:99999/',
  'https://por tal.example.test/',
  'https://por\ttal.example.test/',
  'https://portal.example.test/\n',
  'https://portal.example.test/?\u0085',
  'https://portal.example.test/\ud800',
  ' https://portal.example.test/',
  '\u0000https://portal.example.test/',
  `https://portal.example.test/${'x'.repeat(2021)}`,
])('%j is not accepted as an absolute URL', (text) => {
  expect(parseWholeUrl(text)).toBeUndefined();
});

test('for any accepted URL, a browser goes to the origin that was checked', () => {
  const signs = [
    '/',
    '\\',
    '.',
    '@',
    ':',
    '\t',
    '%2e',
    '%2f',
    '%40',
    '?',
    '#',
    ' ',
    '\u3002',
    '\uff0f',
    '[',
    ']',
    '80',
  ];
  const piece = fc.constantFrom(...signs, 'evil.example', 'portal.example.test');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const whole = parseWholeUrl(`https://${pieces.join('')}`);
      if (whole) expect(new URL(whole.url, 'https://auth.example.test/').origin).toBe(whole.origin);
    }),
    { numRuns: 5000 },
  );
});
