import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/lib/package-root.ts';

const execute = promisify(execFile);
const OPTIONS = ['--noEmit', '--strict', '--module', 'nodenext', '--lib', 'es2022,dom', '--types', ''];

/** Compiles a script of an application that has this package installed, and returns the errors of the compiler. */
async function compile(t: { onTestFinished(clean: () => Promise<void>): void }, script: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'authsvc-types-'));
  t.onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'node_modules'));
  await symlink(packageRoot(), join(folder, 'node_modules/authsvc'));
  await writeFile(join(folder, 'app.mts'), `/// <reference types="authsvc/main" />\n${script}\nexport {};\n`);
  const tsc = join(packageRoot(), 'node_modules/typescript/bin/tsc');
  const run = execute(process.execPath, [tsc, ...OPTIONS, 'app.mts'], { cwd: folder });
  return run.then(
    () => '',
    (error: { stdout?: string }) => error.stdout ?? 'the compiler did not run',
  );
}

test('an application that references the types of main.js can call each helper', async (t) => {
  const complaints = await compile(
    t,
    `const done: boolean = (await logout()) && (await logoutuser());
     const { session_valid, expiry }: { session_valid: boolean; expiry: string | null } = await checkSession();
     const value: string | undefined = getCookieValue('theme');
     await nuclearCacheClear();
     loadpage('/'); reloadPage();
     const words: string = formatDate(expiry ?? new Date()) + String(done && session_valid) + value;
     document.title = words;`,
  );

  expect(complaints).toBe('');
});

test('the compiler reports a wrong call', async (t) => {
  expect(await compile(t, 'loadpage(7);')).toContain("'number' is not assignable");
});
