import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadSettings } from './load.ts';
import { sessionSecrets } from './secrets.ts';

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'authsvc-secrets-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

const settingsIn = (folder: string, more: Record<string, string> = {}) =>
  loadSettings({ env: { DATABASE_URL: `sqlite:${join(folder, 'x.sqlite')}`, ...more }, folder });

test('the first start creates a secret beside the database, readable only by its owner, and it stays the same', () => {
  const folder = join(emptyFolder(), 'data');

  const [first, again] = [sessionSecrets(settingsIn(folder)), sessionSecrets(settingsIn(folder))];

  expect(first).toEqual([expect.stringMatching(/^[\w-]{64}$/)]);
  expect(again).toEqual(first);
  expect(readdirSync(folder)).toEqual(['session-secret']);
  expect(statSync(join(folder, 'session-secret')).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test('two folders get two different secrets', () => {
  expect(sessionSecrets(settingsIn(emptyFolder()))).not.toEqual(sessionSecrets(settingsIn(emptyFolder())));
});

test('configured secrets are used, and no file is created', () => {
  const folder = emptyFolder();
  const [one, other] = ['one-secret-of-32-characters-01234567', 'other-secret-of-32-characters-012345'];

  expect(sessionSecrets(settingsIn(folder, { SESSION_SECRET_KEY: `${one},${other}` }))).toEqual([one, other]);

  expect(readdirSync(folder)).toEqual([]);
});

test('an empty secret file, as a power failure leaves it, is replaced', () => {
  const folder = emptyFolder();
  writeFileSync(join(folder, 'session-secret'), '');

  const [made = ''] = sessionSecrets(settingsIn(folder));

  expect(made.length).toBe(64);
  expect(readFileSync(join(folder, 'session-secret'), 'utf8').trim()).toBe(made);
});

test('an unreadable secret file is reported, and no other secret is created', () => {
  const folder = emptyFolder();
  mkdirSync(join(folder, 'session-secret'));

  expect(() => sessionSecrets(settingsIn(folder))).toThrow(
    /SESSION_SECRET_KEY.*\/session-secret is a folder, not a file\. Set SESSION_SECRET_KEY/,
  );
  expect(readdirSync(folder)).toEqual(['session-secret']);
});
