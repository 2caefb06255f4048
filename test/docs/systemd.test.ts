import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const deploy = join(import.meta.dirname, '../../deploy/systemd');
const hasSystemd = spawnSync('systemd-sysusers', ['--version']).status === 0;

test('the settings file of the accounts uses only what systemd 252 of Debian 12 knows', () => {
  const lines = readFileSync(join(deploy, 'authsvc.sysusers.conf'), 'utf8').split('\n');

  // The modifier `!` came with systemd 257. Older versions skip the whole line.
  expect(lines.filter((line) => !/^(#.*)?$/.test(line))).toEqual([expect.stringMatching(/^u authsvc - "/)]);
});

test.skipIf(!hasSystemd)('systemd creates an account with which no one can log in', (t) => {
  const root = mkdtempSync(join(tmpdir(), 'authsvc-accounts-'));
  t.onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'etc'));

  execFileSync('systemd-sysusers', [`--root=${root}`, join(deploy, 'authsvc.sysusers.conf')], { stdio: 'pipe' });

  const entryOf = (file: string) => /^authsvc:.*$/m.exec(readFileSync(join(root, 'etc', file), 'utf8'))?.[0];
  expect(entryOf('passwd')).toMatch(/:\/var\/lib\/authsvc:\/usr\/sbin\/nologin$/);
  expect(entryOf('shadow')).toMatch(/^authsvc:!/);
});
