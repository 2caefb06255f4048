import { expect, test } from 'vitest';
import { verificationUrl } from './verification-url.ts';

test.each([
  ['https://auth.example.test/authsvc/cli/device/BCDF-GHJK', 'https://auth.example.test'],
  ['https://auth.example.test:8443/x', 'https://auth.example.test'],
  ['http://localhost:3000/x', 'http://127.0.0.1:3000'],
  ['http://[::1]:3000/x', 'http://localhost:3000'],
  ['https://auth.example.test/x', 'http://auth.example.test'],
])('%s is accepted as the approval page of %s', (url, server) => {
  expect(verificationUrl(url, server)).toBe(url);
});

test('characters that could control a terminal are percent-encoded', () => {
  const url = verificationUrl('https://auth.example.test/\u202e\u001b[2J', 'https://auth.example.test');

  expect(url).toBe('https://auth.example.test/%E2%80%AE%1B[2J');
});

test.each([
  'https://evil.example/authsvc/cli/device/BCDF-GHJK',
  'https://auth.example.test.evil.example/x',
  'https://auth.example.test@evil.example/x',
  'https://user:pass@auth.example.test/x',
  'http://auth.example.test/x',
  'http://localhost/x',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'x',
])('%s is rejected as the approval page of https://auth.example.test', (url) => {
  expect(() => verificationUrl(url, 'https://auth.example.test')).toThrow(
    expect.objectContaining({ name: 'ClientError', reason: 'unexpected' }),
  );
});
