import { expect, test } from 'vitest';
import { parseProxy } from './parse-proxy.ts';

test.each([
  ['http://proxy.example.com:3128', 'http://proxy.example.com:3128/'],
  ['https://proxy.example.com/', 'https://proxy.example.com/'],
  ['proxy.example.com:3128', 'http://proxy.example.com:3128/'],
  ['10.0.0.1:8080', 'http://10.0.0.1:8080/'],
  ['[::1]:8080', 'http://[::1]:8080/'],
  ['user:p%40ss@proxy:3128', 'http://user:p%40ss@proxy:3128/'],
  ['localhost', 'http://localhost/'],
])('%s is accepted as the proxy %s', (text, address) => {
  expect(parseProxy(text)).toBe(address);
});

test.each([
  'socks5://proxy:1080',
  'ftp://proxy',
  'http://proxy/path',
  'http://proxy/?a=b',
  'http://user:100%@proxy:3128',
  'http://',
  'http://pro xy',
  'proxy:port',
])('%s is refused as a proxy', (text) => {
  expect(() => parseProxy(text)).toThrow('the address of an http or https proxy');
});
