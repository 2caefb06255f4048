import { generateSync } from 'otplib';
import { expect, test } from 'vitest';
import { matchTotp, newTotpSecret, parseTotpSecret, totpUrl } from './totp.ts';

const NOW = 1_700_000_000_000;
const STEP = Math.floor(NOW / 30_000);
const codeAt = (secret: string, now: number) => generateSync({ secret, epoch: Math.floor(now / 1000) });

test('the test secret of RFC 6238 gives the code in the RFC', () => {
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
  expect(matchTotp(secret, '287082', 59_000)).toBe(1);
  expect(matchTotp(secret, '081804', 1_111_111_109_000)).toBe(37_037_036);
});

test('a code is accepted up to one step before and after its own step', () => {
  const secret = newTotpSecret();
  expect(matchTotp(secret, codeAt(secret, NOW), NOW)).toBe(STEP);
  expect(matchTotp(secret, codeAt(secret, NOW - 30_000), NOW)).toBe(STEP - 1);
  expect(matchTotp(secret, codeAt(secret, NOW + 30_000), NOW)).toBe(STEP + 1);
  expect(matchTotp(secret, codeAt(secret, NOW - 60_000), NOW)).toBeUndefined();
  expect(matchTotp(secret, codeAt(secret, NOW + 60_000), NOW)).toBeUndefined();
});

test.each([
  ['jbsw y3dp ehpk 3pxp', 'JBSWY3DPEHPK3PXP'],
  ['JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'],
  ['jbsw–y3dp—ehpk−3pxp', 'JBSWY3DPEHPK3PXP'],
  ['not base32 1890!', undefined],
  ['JBSWY3DP', undefined],
  ['JBSWY3DPEHPK3PXPJ', undefined],
  ['JBSWY3DPEHPK3PXP'.repeat(8), 'JBSWY3DPEHPK3PXP'.repeat(8)],
  [`${'JBSWY3DPEHPK3PXP'.repeat(8)}JB`, undefined],
  ['', undefined],
])('the typed secret %s is parsed as %s', (text, secret) => {
  expect(parseTotpSecret(text)).toBe(secret);
});

test('the URL for authenticator apps contains issuer, account and secret', () => {
  const url = new URL(totpUrl('JBSWY3DPEHPK3PXP', 'My portal', 'ada@home'));
  expect([url.protocol, url.host, url.searchParams.get('secret')]).toEqual(['otpauth:', 'totp', 'JBSWY3DPEHPK3PXP']);
  expect(decodeURIComponent(url.pathname)).toBe('/My portal:ada@home');
});

test('a colon in the name of the application does not separate issuer and account', () => {
  const url = new URL(totpUrl('JBSWY3DPEHPK3PXP', 'Harbour: Portal', 'ada'));

  expect(decodeURIComponent(url.pathname)).toBe('/Harbour Portal:ada');
  expect(url.searchParams.get('issuer')).toBe('Harbour Portal');
});
