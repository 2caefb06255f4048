import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { freshDatabase } from '../support/each-database.ts';
import { addUser, makeDatabase, type Owner, runCommand } from './support.ts';

vi.setConfig({ testTimeout: 90_000 });

const commands: [string, (file: string) => string[]][] = [
  ['backup', (file) => ['backup', file]],
  ['export', (file) => ['export', '--to', file]],
];

async function start(t: Owner) {
  const fresh = await freshDatabase('sqlite');
  t.onTestFinished(fresh.drop);
  await makeDatabase(t, fresh);
  await addUser(t, fresh, 'ada');
  const folder = join(fresh.folder, 'kept');
  await mkdir(folder);
  return { place: fresh, folder };
}

test.each(commands)('%s writes a file that only its owner can read, and no other file', async (_what, args) => {
  const stops: (() => Promise<void>)[] = [];
  const t: Owner = { onTestFinished: (stop) => void stops.unshift(stop) };
  const { place, folder } = await start(t);
  const file = join(folder, 'monday');

  const outcomes = await Promise.all([1, 2, 3].map(() => runCommand(t, place, args(file))));

  expect(outcomes.map(({ code }) => code).sort()).toEqual([0, 1, 1]);
  for (const { code, stderr } of outcomes) if (code === 1) expect(stderr).toContain(`${file} exists already`);
  expect(await readdir(folder)).toEqual(['monday']);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  for (const stop of stops) await stop();
});

test.each(commands)('%s that is refused creates no file, and keeps an existing one', async (what, args) => {
  const stops: (() => Promise<void>)[] = [];
  const t: Owner = { onTestFinished: (stop) => void stops.unshift(stop) };
  const { place, folder } = await start(t);
  await writeFile(join(folder, 'mine'), 'mine');
  const refusals = [
    [join(folder, 'mine'), `${join(folder, 'mine')} exists already. Name a new file.\n`],
    [`${folder}/new/`, `${folder}/new/ names a folder. Name a new file.\n`],
    [join(folder, 'none', 'x'), `The ${what} could not be written: ${join(folder, 'none')} does not exist.\n`],
    [
      join(folder, 'mine', 'x'),
      `The ${what} could not be written: a part of ${join(folder, 'mine', 'x')} is a file, not a folder.\n`,
    ],
  ] as const;

  for (const [file, words] of refusals) {
    const { code, stdout, stderr } = await runCommand(t, place, args(file));
    expect([code, stdout, stderr]).toEqual([1, '', words]);
  }

  expect(await readdir(folder)).toEqual(['mine']);
  expect(await readFile(join(folder, 'mine'), 'utf8')).toBe('mine');
  for (const stop of stops) await stop();
});

test('an export that fails leaves no file', async (t) => {
  const { place, folder } = await start(t);
  await runCommand(t, place, ['2fa', 'enable', 'ada']);
  const other = { ...place, settings: { SESSION_SECRET_KEY: 'x'.repeat(40) } };

  const { code, stderr } = await runCommand(t, other, ['export', '--with-hashes', '--to', join(folder, 'all')]);

  expect([code, stderr]).toEqual([1, expect.stringContaining('SESSION_SECRET_KEY cannot decrypt')]);
  expect(await readdir(folder)).toEqual([]);
});
