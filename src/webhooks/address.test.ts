import { expect, test } from 'vitest';
import { AppError } from '../errors/app-error.ts';
import { parseWebhookUrl } from './address.ts';

const strict = { IS_DEPLOYED: false, WEBHOOK_PRIVATE_NETWORKS: 'off' } as const;
const open = { IS_DEPLOYED: false, WEBHOOK_PRIVATE_NETWORKS: 'on' } as const;
const deployed = { IS_DEPLOYED: true, WEBHOOK_PRIVATE_NETWORKS: 'off' } as const;

function refusalOf(parse: () => string): string | undefined {
  try {
    parse();
    return undefined;
  } catch (error) {
    return error instanceof AppError ? error.code : String(error);
  }
}

test.each([
  'http://127.0.0.1/',
  'http://127.1/',
  'http://0x7f.0.0.1/',
  'http://0177.0.0.1:8080/x',
  'http://2130706433/',
  'http://127.0.0.1./',
  'http://127%2e0.0.1/',
  'http://１２７.0.0.1/',
  'http://0/',
  'http://[::]/',
  'http://[::1]:3000/',
  'http://[0:0:0:0:0:0:0:1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[64:ff9b::127.0.0.1]/',
  'http://[fe80::1]/',
  'HTTP://169.254.169.254/latest/meta-data',
])('a webhook may not be sent to the address of %s, unless private networks are allowed', (url) => {
  expect(refusalOf(() => parseWebhookUrl(url, strict))).toBe('ADDRESS_NOT_ALLOWED');
  expect(parseWebhookUrl(url, open)).toBe(url);
});

test.each([
  'nonsense',
  '',
  'ftp://example.com/',
  'http:example.com',
  'http:///example.com',
  'http://a:b@example.com/',
  'http://@example.com/',
  'http://example.com\\@127.0.0.1/',
  'http://exa mple.com/',
  'http://example.com/\n',
  'http://example.com/#part',
  'http://example.com:99999/',
  'http://[fe80::1%25eth0]/',
  `http://example.com/${'x'.repeat(2048)}`,
])('%j is refused as the URL of a webhook', (url) => {
  expect(refusalOf(() => parseWebhookUrl(url, open))).toBe('FIELD_INVALID');
});

test('when deployed, the URL of a webhook must use https', () => {
  expect(refusalOf(() => parseWebhookUrl('http://hooks.example.com/', deployed))).toBe('ADDRESS_NOT_ALLOWED');
  expect(refusalOf(() => parseWebhookUrl('https://10.0.0.1/', deployed))).toBe('ADDRESS_NOT_ALLOWED');
  expect(parseWebhookUrl('https://hooks.example.com/a?b=c', deployed)).toBe('https://hooks.example.com/a?b=c');
});
