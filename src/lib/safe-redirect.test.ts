import fc from 'fast-check';
import { expect, test } from 'vitest';
import { safeRedirect } from './safe-redirect.ts';

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
])('%j is kept as it is', (path) => {
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
])('%j is replaced by the fallback', (value) => {
  expect(safeRedirect(value, '/home')).toBe('/home');
});

test('every control character is a trap, wherever it stands', () => {
  const isControl = (code: number) => code < 0x20 || (code >= 0x7f && code < 0xa0);
  for (let code = 0; code <= 0xff; code += 1) {
    const asked = [`/a?x=${String.fromCharCode(code)}`, `/a#${String.fromCharCode(code)}b`];
    const expected = isControl(code) ? ['/home', '/home'] : asked;
    expect([code, ...asked.map((address) => safeRedirect(address, '/home'))]).toEqual([code, ...expected]);
  }
});

test('whatever is asked, a browser stays on its origin, and so it does when it reads the address again', () => {
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
