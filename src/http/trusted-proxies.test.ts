import { expect, test } from 'vitest';
import { createIsTrusted } from './trusted-proxies.ts';

test.each([
  [true, ['192.0.2.1', '::1'], []],
  [false, [], ['127.0.0.1', '::1']],
  [['loopback'], ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'], ['10.0.0.1', '128.0.0.1', '::2']],
  [['linklocal'], ['169.254.3.4', 'fe80::1', 'fe80::1%eth0'], ['169.253.0.1', 'fec0::1']],
  [['uniquelocal'], ['10.1.1.1', '172.31.0.1', '192.168.9.9', 'fd00::1'], ['172.32.0.1', '127.0.0.1', 'fe80::1']],
  [['192.0.2.1'], ['192.0.2.1', '::ffff:192.0.2.1'], ['192.0.2.2']],
  [
    ['192.0.2.0/31', '2001:db8::/32'],
    ['192.0.2.1', '2001:db8:1::1'],
    ['192.0.2.2', '2001:db9::1'],
  ],
  [['::ffff:10.0.0.0/104'], ['10.1.1.1'], ['11.0.0.1']],
  [['0.0.0.0/0'], ['198.51.100.1', '::ffff:198.51.100.1'], ['2001:db8::1']],
  [['::/0'], ['2001:db8::1'], []],
])('TRUST_PROXY=%j trusts %j and not %j', (proxies, believed, others) => {
  const isTrusted = createIsTrusted(proxies);

  for (const address of [...believed, ...believed]) expect([address, isTrusted(address)]).toEqual([address, true]);
  for (const address of [...others, ...others]) expect([address, isTrusted(address)]).toEqual([address, false]);
});

test.each(['127.0.0.1:80', '[::1]', '[::1]:443', '[::ffff:127.0.0.1]:443', ' 127.0.0.1 '])(
  '%j is trusted like the address that it contains',
  (address) => {
    const isTrusted = createIsTrusted(['loopback']);

    expect([isTrusted(address), isTrusted(address)]).toEqual([true, true]);
    expect(createIsTrusted(['192.0.2.1'])(address)).toBe(false);
  },
);

test.each([
  '',
  'rubbish',
  '127.1',
  '0x7f.1',
  '127.0.0.1:80:80',
  '127.0.0.1:x',
  '127.0.0.1:',
  '[127.0.0.1]',
  '[::1',
  '::1]:443',
])('%j is not a valid proxy address and is not trusted', (address) => {
  expect(createIsTrusted(['loopback', '0.0.0.0/0', '::/0'])(address)).toBe(false);
});
