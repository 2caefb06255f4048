import { describe, expect, test } from 'vitest';
import { parsePostgresUrl } from './parse-postgres-url.ts';
import { driverUrl, postgresHost, postgresServers } from './postgres-url.ts';

const refusalOf = (text: string): string => {
  try {
    parsePostgresUrl(text);
    return 'it was taken';
  } catch (error) {
    return String(error);
  }
};

test.each([
  'postgres://u:p@host:5432/db',
  'postgres://u:p%40%2F%3F%23%25@host/db',
  'postgres://u:p@ss@host/db',
  'postgres://user@/db?host=/var/run/postgresql',
  'postgres://user:p@/db?host=/var/run/postgresql&port=5433',
  'postgres://u:p@%2Fvar%2Frun%2Fpostgresql/db',
  'postgres:///db?host=/var/run/postgresql',
  'postgres://u:p@host/db?sslmode=require&application_name=a@b',
  'postgres://u:p@host/db?ssl=true',
  `postgres://u:p@host/db?sslmode=verify-ca&sslrootcert=${import.meta.filename}`,
  'postgres://u:p@host/db?options=-c%20lock_timeout%3D100&client_encoding=utf8',
])('the URL %s is accepted unchanged', (text) => {
  expect(parsePostgresUrl(text)).toBe(text);
});

test.each([
  ['sslmod=require', 'no parameter sslmod, because the allowed parameters are host, port,'],
  ['SSLMODE=require', 'no parameter SSLMODE'],
  ['connect_timeout=5&keepalives=1', 'no parameter connect_timeout, keepalives'],
  ['channel_binding=require', 'no parameter channel_binding'],
  ['schema=public', 'no parameter schema'],
  ['toString=x', 'no parameter toString'],
  ['sslmode=', 'the parameter sslmode to be one of disable,'],
  ['sslmode=allow', 'the parameter sslmode to be one of disable,'],
  ['sslmode=require&sslmode=disable', 'the parameter sslmode only once'],
  [
    'sslrootcert=/nowhere/ca.pem',
    'the parameter sslrootcert to be a file that the system user of this process can read',
  ],
  ['sslmode=verify-ca&uselibpqcompat=true', 'the parameter sslrootcert with sslmode=verify-ca'],
  ['client_encoding=latin1', 'the parameter client_encoding to be UTF8'],
  ['statement_timeout=soon', 'the parameter statement_timeout to be a number'],
  ['host=a,b', 'the parameter host to be the folder of a socket, or one host'],
])('the parameters %s are refused, and the message names them', (parameters, words) => {
  expect(refusalOf(`postgres://u:p@host/db?${parameters}`)).toContain(words);
});

test('a URL with several hosts and the parameter host is refused', () => {
  expect(refusalOf('postgres://a,b/db?host=/run')).toContain('not both');
});

test.each([
  'postgres://u:p#secret@host/db',
  'postgres://u:p/secret@host/db',
  'postgres://u:5/secret@host/db',
  'postgres://u:p?secret@host/db',
  'postgres://u:5?secret@host/db',
  'postgres://u:p@x:5/secret@host/db',
  'postgres://u:p%secret@host/db',
])('%s is refused, and the message says which characters of a password to percent-encode', (text) => {
  expect(refusalOf(text)).toContain('is percent-encoded (%25 %40 %3A %2F %3F %23)');
  expect(refusalOf(text)).not.toContain('secret');
});

describe('the servers that are passed to the driver', () => {
  const servers = (text: string) => (postgresServers(text) ?? []).map(driverUrl);

  test.each(['prefer', 'require', 'verify-ca'])(
    'with sslmode=%s the driver checks the certificate and prints no warning',
    (mode) => {
      expect(servers(`postgres://u:p@a,b/db?sslmode=${mode}`)).toEqual([
        'postgres://u:p@a/db?sslmode=verify-full',
        'postgres://u:p@b/db?sslmode=verify-full',
      ]);
    },
  );

  test.each(['sslmode=disable', 'sslmode=no-verify', 'sslmode=require&uselibpqcompat=true'])(
    'the driver gets %s unchanged',
    (parameters) => {
      expect(servers(`postgres://u:p@a/db?${parameters}`)).toEqual([`postgres://u:p@a/db?${parameters}`]);
    },
  );

  test.each([
    ['postgres://user@/db?host=/var/run/postgresql', '/var/run/postgresql'],
    ['postgres://u@%2Fvar%2Frun/db', '/var/run'],
    ['postgres://u@[::1]:5433/db', '[::1]:5433'],
    ['postgres://u@/db?host=db.internal', 'db.internal'],
  ])('the place of the database in %s is shown as %s', (text, place) => {
    expect((postgresServers(text) ?? []).map(postgresHost)).toEqual([place]);
  });
});
