import { expect, test } from 'vitest';
import { clientAddress, limitKey } from './client-address.ts';

const client = (ip: string) => ({ ip, socket: { remoteAddress: '127.0.0.1' } });

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['192.0.2.7:51234', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:aaaa::1', '2001:db8:1:2::/64'],
  ['2001:db8:1:2:bbbb::2', '2001:db8:1:2::/64'],
  ['[2001:db8:1:2::9]:443', '2001:db8:1:2::/64'],
  ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['rubbish', '127.0.0.1'],
  ['', '127.0.0.1'],
  ['7', '127.0.0.1'],
  ['192.7', '127.0.0.1'],
  ['<script>', '127.0.0.1'],
])('%s is counted as %s', (claimed, key) => {
  expect(limitKey(client(claimed))).toBe(key);
});

test.each([
  ['192.0.2.7:51234', '192.0.2.7'],
  ['[2001:DB8:0::9]:443', '2001:db8::9'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['fe80::1%eth0', 'fe80::1'],
  ['[fe80::1%a-b.c]:443', 'fe80::1'],
  ['<script>', '127.0.0.1'],
  ['7', '127.0.0.1'],
])('%s is kept and shown as %s', (claimed, address) => {
  expect(clientAddress(client(claimed))).toBe(address);
});

test('a client of whom nothing is known has a name all the same', () => {
  expect(clientAddress({ ip: '', socket: {} })).toBe('unknown');
  expect(limitKey({ ip: '', socket: {} })).toBe('unknown');
});
