import fc from 'fast-check';
import { expect, test } from 'vitest';
import { safeRedirect } from './safe-redirect.ts';

test.each(['/', '/app', '/app?a=1&b=%2F%2Fevil.example', '/app#part', '/caf%C3%A9', '/café', '/a//b', '/@user'])(
  '%s is kept as it is',
  (path) => {
    expect(safeRedirect(path, '/home')).toBe(path);
  },
);

test.each([
  'https://evil.example/',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '/.//evil.example',
  '/..//evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '/a\r\nset-cookie: x=1',
  ' //evil.example',
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

test('whatever is asked, a browser stays on its origin', () => {
  const piece = fc.constantFrom('/', '\\', '.', ':', '@', '\t', '\n', '%2f', '%5c', 'evil.example', '?', '#', ' ');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const target = safeRedirect(pieces.join(''), '/home');
      const url = new URL(target, 'https://auth.example.test/authsvc/login');
      expect(url.origin).toBe('https://auth.example.test');
      expect(new URL(url.pathname, url).origin).toBe('https://auth.example.test');
    }),
    { numRuns: 2000 },
  );
});
