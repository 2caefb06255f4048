import { expect, test } from 'vitest';
import { parseRpId } from './parse-rp-id.ts';
import { passkeyRpId } from './passkey-party.ts';

test.each([
  ['example.com', 'example.com'],
  ['Auth.Example.COM', 'auth.example.com'],
  ['localhost', 'localhost'],
  ['müller.example', 'xn--mller-kva.example'],
  ['auth.corp', 'auth.corp'],
])('%s is accepted as an RP id', (text, rpId) => {
  expect(parseRpId(text)).toBe(rpId);
});

test.each(['127.0.0.1', '[::1]', '::1', '0x7f.1', 'https://example.com', 'example.com:443', 'a b', '.example.com', ''])(
  '%j is refused as an RP id',
  (text) => {
    expect(() => parseRpId(text)).toThrow('not an IP address');
  },
);

test.each(['com', 'co.uk', 'github.io'])(
  '%s is refused as an RP id, because anyone can register a host there',
  (text) => {
    expect(() => parseRpId(text)).toThrow('a domain of your own');
  },
);

const settings = {
  PASSKEYS: 'on',
  PASSKEY_RP_ID: undefined,
  IS_DEPLOYED: true,
  DOMAIN: 'example.com',
  BASE_URL: 'https://auth.example.com',
  PORT: 3000,
} as const;

test.each([
  ['DOMAIN when deployed', settings, 'example.com'],
  ['the host of BASE_URL otherwise', { ...settings, IS_DEPLOYED: false }, 'auth.example.com'],
  ['the host of BASE_URL without DOMAIN', { ...settings, DOMAIN: undefined }, 'auth.example.com'],
  ['localhost without BASE_URL', { ...settings, IS_DEPLOYED: false, BASE_URL: undefined }, 'localhost'],
  ['PASSKEY_RP_ID before all of them', { ...settings, PASSKEY_RP_ID: 'auth.example.com' }, 'auth.example.com'],
  ['none with passkeys off', { ...settings, PASSKEYS: 'off' as const }, undefined],
  ['none for an IPv4 address', { ...settings, BASE_URL: 'http://127.0.0.1:3000' }, undefined],
  ['none for an IPv6 address', { ...settings, BASE_URL: 'http://[::1]:3000' }, undefined],
])('the RP id is %s', (_what, given, rpId) => {
  expect(passkeyRpId(given)).toBe(rpId);
});
