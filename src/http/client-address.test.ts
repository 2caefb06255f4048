import { expect, test } from 'vitest';
import { clientAddress, limitKeys, siteKey } from './client-address.ts';

const client = (ip: string) => ({ ip, socket: { remoteAddress: '127.0.0.1' } });

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['192.0.2.7:51234', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['rubbish', '127.0.0.1'],
  ['', '127.0.0.1'],
  ['7', '127.0.0.1'],
  ['192.7', '127.0.0.1'],
  ['<script>', '127.0.0.1'],
])('%s is counted under the single key %s', (claimed, key) => {
  expect(limitKeys(client(claimed))).toEqual([{ key, factor: 1 }]);
  expect(siteKey(client(claimed))).toBe(key);
});

test.each([
  ['2001:db8:1:2:aaaa::1', ['2001:db8:1:2::/64', '2001:db8:1:0::/56', '2001:db8:1::/48']],
  ['2001:db8:1:2:bbbb::2', ['2001:db8:1:2::/64', '2001:db8:1:0::/56', '2001:db8:1::/48']],
  ['[2001:db8:1:2::9]:443', ['2001:db8:1:2::/64', '2001:db8:1:0::/56', '2001:db8:1::/48']],
  ['2001:db8:1:3ff::1', ['2001:db8:1:3ff::/64', '2001:db8:1:300::/56', '2001:db8:1::/48']],
  ['fe80::1%eth0', ['fe80:0:0:0::/64', 'fe80:0:0:0::/56', 'fe80:0:0::/48']],
])('%s is counted under each of its networks', (claimed, networks) => {
  const keys = limitKeys(client(claimed));

  expect(keys.map(({ key }) => key)).toEqual(networks);
  expect(keys.map(({ factor }) => factor)).toEqual([1, 2, 4]);
  expect(siteKey(client(claimed))).toBe(networks[2]);
});

test.each([
  ['192.0.2.7:51234', '192.0.2.7'],
  ['[2001:DB8:0::9]:443', '2001:db8::9'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['fe80::1%eth0', 'fe80::1'],
  ['[fe80::1%a-b.c]:443', 'fe80::1'],
  ['<script>', '127.0.0.1'],
  ['7', '127.0.0.1'],
])('%s is stored and shown as %s', (claimed, address) => {
  expect(clientAddress(client(claimed))).toBe(address);
});

test('a client without any address is counted under the key "unknown"', () => {
  expect(clientAddress({ ip: '', socket: {} })).toBe('unknown');
  expect(limitKeys({ ip: '', socket: {} })).toEqual([{ key: 'unknown', factor: 1 }]);
  expect(siteKey({ ip: '', socket: {} })).toBe('unknown');
});
