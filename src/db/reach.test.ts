import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { openDatabase } from './open.ts';
import { requireAnswer } from './reach.ts';

/** Returns the error message of a start with a database that it cannot reach. */
async function complaintOf(change: (url: URL) => unknown): Promise<string> {
  const url = new URL(inject('postgresUrl'));
  change(url);
  const database = await openDatabase(url.href, { max: 1, isPatient: true, onTrouble: () => undefined });
  onTestFinished(() => database.close());
  return requireAnswer(database).then(() => 'it answers', String);
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  return String(typeof address === 'object' && address ? address.port : 0);
}

describe('a PostgreSQL database that cannot be used', () => {
  test('the error says that nothing listens at the port', async () => {
    const port = await freePort();

    const complaint = await complaintOf((url) => Object.assign(url, { port }));

    expect(complaint).toContain(`cannot be used: no server listens at 127.0.0.1, port ${port}. DATABASE_URL says`);
  });

  test('the error says that nothing listens at the socket', async () => {
    const complaint = await complaintOf((url) => url.searchParams.set('host', '/nowhere/run'));

    expect(complaint).toContain('database at postgres:///postgres?host=/nowhere/run cannot be used: no server listens');
    expect(complaint).toContain('at the socket /nowhere/run/.s.PGSQL.');
  });

  test.each(['require', 'verify-full', 'prefer'])(
    'the error says that the server offers no TLS, with sslmode=%s',
    async (mode) => {
      const complaint = await complaintOf((url) => url.searchParams.set('sslmode', mode));

      expect(complaint).toContain(
        'the server does not offer TLS. If no one else can read the connection, set sslmode=disable',
      );
    },
  );

  test('the error says that the server asks for a password', async () => {
    const complaint = await complaintOf((url) => Object.assign(url, { password: '' }));

    expect(complaint).toContain('the server asks for a password, and DATABASE_URL has none');
  });

  test('the error says that the password is wrong', async () => {
    const complaint = await complaintOf((url) => Object.assign(url, { password: 'wrong' }));

    expect(complaint).toContain('password authentication failed for user "postgres"');
    expect(complaint).not.toContain('wrong');
  });

  test('the error says that another program listens at the port', async () => {
    const server = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((listening) => server.once('listening', listening));
    const address = server.address();
    const port = String(typeof address === 'object' && address ? address.port : 0);

    const complaint = await complaintOf((url) => Object.assign(url, { port, search: '?sslmode=verify-full' }));

    expect(complaint).toContain('the server does not answer as PostgreSQL does');
  });

  test('the error says that no host has the name', async () => {
    const complaint = await complaintOf((url) => Object.assign(url, { hostname: 'nowhere.invalid' }));

    expect(complaint).toMatch(/no host has the name nowhere\.invalid|name servers of this machine do not answer/);
  });
});

describe('an SQLite database that cannot be used', () => {
  async function complaintAt(make: (file: string) => unknown): Promise<string> {
    const folder = mkdtempSync(join(tmpdir(), 'authsvc-reach-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'authsvc.sqlite');
    make(file);
    const database = await openDatabase(`sqlite:${file}`, { max: 1, isPatient: true, onTrouble: () => undefined });
    onTestFinished(() => database.close());
    return requireAnswer(database).then(
      () => 'it answers',
      (error: unknown) => String(error).replaceAll(file, 'FILE'),
    );
  }

  test('the error says that the path is a folder', async () => {
    expect(await complaintAt((file) => mkdirSync(file))).toContain('cannot be used: FILE is a folder, not a file.');
  });

  test('the error says that the file is not an SQLite database', async () => {
    const text = 'this is no database, and long enough to be taken for one. '.repeat(10);

    expect(await complaintAt((file) => writeFileSync(file, text))).toContain('the file is not an SQLite database.');
  });
});
