import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeFolder } from './make-folder.ts';

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'authsvc-folder-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('all that is missing is made, for the owner only; what is there stays', () => {
  const path = join(emptyFolder(), 'a/b/c');

  makeFolder(path);
  makeFolder(path);

  for (const made of [path, join(path, '..'), join(path, '../..')]) expect(statSync(made).mode & 0o777).toBe(0o700);
});

test('below a file, and where the system makes none, it fails at once', () => {
  const file = join(emptyFolder(), 'file');
  writeFileSync(file, '');

  expect(() => makeFolder(join(file, 'a/b'))).toThrow(/ENOTDIR|EEXIST/);
  expect(() => makeFolder('/proc/nowhere/below')).toThrow();
});
