import { expect, test } from 'vitest';
import { parseDomain } from './parse-domain.ts';

test.each([
  ['example.com', 'example.com'],
  ['.Example.COM', 'example.com'],
  ['a-b.co.uk', 'a-b.co.uk'],
  ['me.github.io', 'me.github.io'],
  ['corp.internal', 'corp.internal'],
])('%s is the domain %s', (text, domain) => {
  expect(parseDomain(text)).toBe(domain);
});

test.each([
  'localhost',
  '127',
  '10.0.0.1',
  'example.com/',
  'https://example.com',
  '-a.com',
  'a-.com',
  'a..com',
  'a b.com',
  'a.com;x',
])('%s is refused as no domain', (text) => {
  expect(() => parseDomain(text)).toThrow('a domain name with a dot in it');
});

test.each(['co.uk', '.CO.UK', 'com.au', 'github.io'])('%s is refused, for anybody can have a host there', (text) => {
  expect(() => parseDomain(text)).toThrow('a domain of your own');
});
