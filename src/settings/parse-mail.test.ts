import { expect, test } from 'vitest';
import { parseSender, parseSmtpUrl } from './parse-mail.ts';

test.each([
  ['smtp://mail.test', { host: 'mail.test', port: 587, isSecure: false, user: undefined, password: '' }],
  ['smtps://mail.test', { host: 'mail.test', port: 465, isSecure: true, user: undefined, password: '' }],
  ['smtp://a%40b:p%3Aw@[::1]:25/', { host: '::1', port: 25, isSecure: false, user: 'a@b', password: 'p:w' }],
])('%s is accepted as a mail server', (text, server) => {
  expect(parseSmtpUrl(text)).toEqual(server);
});

test.each(['', 'mail.test', 'http://mail.test', 'smtp://', 'smtp://mail.test/inbox', 'smtp://mail.test?pool=true'])(
  '%j is refused as a mail server',
  (text) => {
    expect(() => parseSmtpUrl(text)).toThrow('smtp://');
  },
);

test.each([
  ['a@b.test', { name: '', address: 'a@b.test' }],
  ['Accounts <a@b.test>', { name: 'Accounts', address: 'a@b.test' }],
  ['"Müller, Inc." <a@b.test>', { name: 'Müller, Inc.', address: 'a@b.test' }],
])('%s is accepted as a sender', (text, sender) => {
  expect(parseSender(text)).toEqual(sender);
});

test.each(['', 'Accounts', 'A <a>', 'A <a@b.test> B', 'A\r\nBcc: x <a@b.test>'])(
  '%j is refused as a sender',
  (text) => {
    expect(() => parseSender(text)).toThrow('address');
  },
);
