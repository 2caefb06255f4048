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

test('missing folders are created for their owner only, and existing ones stay unchanged', () => {
  const path = join(emptyFolder(), 'a/b/c');

  makeFolder(path);
  makeFolder(path);

  for (const made of [path, join(path, '..'), join(path, '../..')]) expect(statSync(made).mode & 0o777).toBe(0o700);
});

test('creating a folder below a file, or where the system allows none, fails at once', () => {
  const file = join(emptyFolder(), 'file');
  writeFileSync(file, '');

  expect(() => makeFolder(join(file, 'a/b'))).toThrow(/ENOTDIR|EEXIST/);
  expect(() => makeFolder('/proc/nowhere/below')).toThrow();
});
