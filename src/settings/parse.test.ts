import { describe, expect, test } from 'vitest';
import {
  type Parse,
  parseBoolean,
  parseChoice,
  parseDatabaseUrl,
  parseDays,
  parseEndpoint,
  parseHeaderSecret,
  parseInteger,
  parseIssuer,
  parseOrigin,
  parseSecret,
  parseSecrets,
  parseSupportUrl,
  parseTarget,
  parseText,
  parseTrustProxy,
} from './parse.ts';

interface Table {
  name: string;
  parse: Parse<unknown>;
  takes: [string, unknown][];
  refuses: string[];
}

const SECRET = 'a-secret-of-32-characters-012345';

const tables: Table[] = [
  { name: 'text', parse: parseText(5), takes: [['abcde', 'abcde']], refuses: ['abcdef'] },
  {
    name: 'boolean',
    parse: parseBoolean,
    takes: [
      ['true', true],
      ['TRUE', true],
      ['True', true],
      ['false', false],
      ['f', false],
      ['F', false],
    ],
    refuses: ['t', 'yes', 'no', '1', '0', 'on', 'perhaps', 'truee', ' true'],
  },
  {
    name: 'integer',
    parse: parseInteger(1, 100),
    takes: [
      ['1', 1],
      ['100', 100],
      ['007', 7],
    ],
    refuses: ['0', '101', '-1', '1.5', '1e2', '0x10', 'many', '1 0', '٣', '99999999999999999999', 'NaN', 'Infinity'],
  },
  {
    name: 'days',
    parse: parseDays(400),
    takes: [
      ['2', 2],
      ['0.5', 0.5],
      ['.5', 0.5],
      ['1e-4', 0.0001],
      ['0.0000116', 0.000_011_6],
      ['400', 400],
    ],
    refuses: ['0', '-1', '400.1', '1e5', 'two', 'NaN', 'Infinity', '0x10', '1,5', '1.', '1d', '1e-9', '0.0000115'],
  },
  {
    name: 'days or zero',
    parse: parseDays(400, { allowZero: true }),
    takes: [
      ['0', 0],
      ['0.0', 0],
      ['7', 7],
    ],
    refuses: ['-0.1', '401', '-0', '1e-9'],
  },
  { name: 'choice', parse: parseChoice('404', '401'), takes: [['401', '401']], refuses: ['418', '4', '404,401'] },
  {
    name: 'endpoint',
    parse: parseEndpoint,
    takes: [
      ['https://a.example/x/', 'https://a.example/x/'],
      ['https://a.example/x?y=1', 'https://a.example/x?y=1'],
      ['http://localhost:8080', 'http://localhost:8080/'],
      ['HTTPS://A.example/X', 'https://a.example/X'],
    ],
    refuses: [
      'a.example',
      '//a.example',
      'ftp://a.example',
      'https://',
      'https://u:p@a.example',
      'https://a.example/#x',
      'javascript:alert(1)',
      'not a url',
    ],
  },
  {
    name: 'issuer',
    parse: parseIssuer,
    takes: [
      ['https://a.example/', 'https://a.example/'],
      ['https://a.example', 'https://a.example'],
    ],
    refuses: ['a.example', 'ftp://a.example', 'https://a.example/?x', 'https://a.example/#x', 'https://u@a.example'],
  },
  {
    name: 'origin',
    parse: parseOrigin,
    takes: [
      ['https://a.example', 'https://a.example'],
      ['https://a.example/', 'https://a.example'],
      ['https://a.example:443', 'https://a.example'],
      ['http://a.example:8080', 'http://a.example:8080'],
    ],
    refuses: ['https://a.example/auth', 'https://a.example/?x', 'localhost:3000', 'https://u@a.example'],
  },
  {
    name: 'an address for support',
    parse: parseSupportUrl,
    takes: [
      ['https://help.example.com', 'https://help.example.com/'],
      ['https://help.example.com/sign-in?from=authsvc#top', 'https://help.example.com/sign-in?from=authsvc#top'],
      ['mailto:help@example.com?subject=Sign-in', 'mailto:help@example.com?subject=Sign-in'],
    ],
    refuses: [
      '/help',
      'help.example.com',
      'javascript:alert(1)',
      'https://ada:secret@help.example.com',
      'mailto:help',
      'tel:112',
    ],
  },
  {
    name: 'target',
    parse: parseTarget,
    takes: [
      ['/', '/'],
      ['/home?a=1#b', '/home?a=1#b'],
      ['https://a.example/x', 'https://a.example/x'],
    ],
    refuses: [
      'home',
      '//evil.example',
      '/.//evil.example',
      '/login',
      '/authsvc/x/../login?a',
      '/a/..//evil.example',
      '/\\evil.example',
      '/a b',
      '/a\\b',
      'javascript:alert(1)',
      'https://',
      'https://a b',
      'https://u:p@a.example/x',
      'https://:p@a.example/x',
    ],
  },
  {
    name: 'secret of a header',
    parse: parseHeaderSecret,
    takes: [['any thing, at ~all', 'any thing, at ~all']],
    refuses: ['gehéim-geheim-geheim', 'one\ttwo', 'smile \u{1F600}'],
  },
  { name: 'secret', parse: parseSecret, takes: [['anything, at all', 'anything, at all']], refuses: [] },
  {
    name: 'secrets',
    parse: parseSecrets,
    takes: [
      [SECRET, [SECRET]],
      [`${SECRET} , ${SECRET}x`, [SECRET, `${SECRET}x`]],
    ],
    refuses: [SECRET.slice(1), `${SECRET},short`, `${SECRET},`, `,${SECRET}`],
  },
  {
    name: 'database',
    parse: parseDatabaseUrl,
    takes: [
      ['sqlite:./data/x.sqlite', 'sqlite:./data/x.sqlite'],
      ['sqlite:x.sqlite', 'sqlite:x.sqlite'],
      ['sqlite:/var/lib/x.sqlite', 'sqlite:/var/lib/x.sqlite'],
      ['sqlite:///var/lib/x.sqlite', 'sqlite:///var/lib/x.sqlite'],
      ['sqlite://./data/x.sqlite', 'sqlite:./data/x.sqlite'],
      ['sqlite://../x.sqlite', 'sqlite:../x.sqlite'],
      ['postgres://u:p@host:5432/db', 'postgres://u:p@host:5432/db'],
      ['postgresql://host/db', 'postgresql://host/db'],
      ['postgres:///db?host=/run/postgresql', 'postgres:///db?host=/run/postgresql'],
      ['postgres://u:p@a:5432,[::1]:5433/db', 'postgres://u:p@a:5432,[::1]:5433/db'],
      [
        'postgres://u:p@a,b/db?target_session_attrs=read-write',
        'postgres://u:p@a,b/db?target_session_attrs=read-write',
      ],
    ],
    refuses: [
      'sqlite:',
      'sqlite://',
      'sqlite://data/x.sqlite',
      'sqlite::memory:',
      'sqlite://:memory:',
      'sqlite:///:memory:',
      'sqlite:file:x.sqlite',
      'sqlite:file::memory:?cache=shared',
      'mysql://x',
      './data/x.sqlite',
      'postgres:/host',
      'postgres://u:p@host:port/db',
      'postgres://a,,b/db',
      'postgres://a:5432,b:x/db',
      'postgres://a,b/db?target_session_attrs=any',
    ],
  },
  {
    name: 'proxies',
    parse: parseTrustProxy,
    takes: [
      ['true', true],
      ['false', false],
      ['f', false],
      ['loopback', ['loopback']],
      ['loopback, 10.0.0.0/8,::1', ['loopback', '10.0.0.0/8', '::1']],
      ['2001:db8::/32', ['2001:db8::/32']],
      ['0.0.0.0/0,::/0', ['0.0.0.0/0', '::/0']],
    ],
    refuses: [
      'sometimes',
      '1',
      '127',
      '10.0.0.0/33',
      '10.0.0',
      '127.1/8',
      '::1/129',
      '10.0.0.0/',
      '10.0.0.1,',
      'proxy.example.com',
      'true,loopback',
      '999.0.0.1',
    ],
  },
];

describe.each(tables)('$name', ({ parse, takes, refuses }) => {
  test('accepts its valid values', () => {
    for (const [text, value] of takes) expect([text, parse(text)]).toEqual([text, value]);
  });

  test('refuses any other text and says what was expected, without repeating the text', () => {
    for (const text of refuses) {
      let message = `${text} was taken`;
      try {
        parse(text);
      } catch (error) {
        message = error instanceof Error ? error.message : '';
      }
      expect(message.length).toBeGreaterThan(5);
      expect(message).not.toMatch(/ was taken$/);
      if (text.length > 12) expect(message).not.toContain(text);
    }
  });
});
