import { expect, test } from 'vitest';
import { parseDomain } from './parse-domain.ts';

test.each([
  ['example.com', 'example.com'],
  ['.Example.COM', 'example.com'],
  ['a-b.co.uk', 'a-b.co.uk'],
  ['me.github.io', 'me.github.io'],
  ['corp.internal', 'corp.internal'],
  ['Müller.example', 'xn--mller-kva.example'],
  ['.mu\u0308ller.example', 'xn--mller-kva.example'],
  ['例え.テスト', 'xn--r8jz45g.xn--zckzah'],
  ['xn--mller-kva.example', 'xn--mller-kva.example'],
])('the domain %s is parsed as %s', (text, domain) => {
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
  'mü ller.example',
  'müller.example/',
  'müller',
  '\u202e.example',
])('%s is refused, because it is not a domain', (text) => {
  expect(() => parseDomain(text)).toThrow('a domain name with a dot in it');
});

test.each(['co.uk', '.CO.UK', 'com.au', 'github.io'])(
  '%s is refused as a domain, because anyone can register a host there',
  (text) => {
    expect(() => parseDomain(text)).toThrow('a domain of your own');
  },
);
