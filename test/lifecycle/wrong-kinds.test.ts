import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { freshDatabase } from '../support/each-database.ts';
import { type Owner, runCommand } from './support.ts';

vi.setConfig({ testTimeout: 120_000 });

async function listen(t: Owner, file: string): Promise<void> {
  const server = createServer().listen(file);
  await once(server, 'listening');
  t.onTestFinished(async () => void server.close());
}

const kinds: [name: string, make: (t: Owner, file: string) => unknown][] = [
  ['a named pipe', (_, file) => execFileSync('mkfifo', [file])],
  ['a folder', (_, file) => mkdir(file)],
  ['a socket', listen],
];
const commands = [
  ['serve'],
  ['migrate'],
  ['user', 'list'],
  ['audit', 'list'],
  ['backup', 'copy.sqlite'],
  ['copy', '--from', 'URL', '--to', 'sqlite:other.sqlite'],
  ['copy', '--from', 'sqlite:other.sqlite', '--to', 'URL'],
  ['import', 'mbkauthe', '--from', 'URL', '--passwords', 'none'],
];

describe.each(kinds)('a DATABASE_URL that names %s', (name, make) => {
  test('is refused by each command, and found by the doctor', async (t) => {
    const { folder, drop } = await freshDatabase('sqlite');
    t.onTestFinished(drop);
    const file = join(folder, 'wrong');
    await make(t, file);
    const place = { folder, url: `sqlite:${file}` };
    const reason = `${file} is ${name}, not a file`;

    for (const words of commands) {
      const args = words.map((word) => (word === 'URL' ? place.url : word));
      const { code, stderr } = await runCommand(t, place, args);
      const isOther = args.includes('--to') && args.at(-1) === place.url;
      expect([args, code, stderr]).toEqual([
        args,
        1,
        expect.stringContaining(isOther ? 'There is no database' : reason),
      ]);
    }
    const { json } = await runCommand(t, place, ['doctor', '--json']);
    const failed = Object(json).checks.filter(({ status }: { status: string }) => status === 'failed');
    expect(failed).toEqual(
      expect.arrayContaining(
        ['data-folder', 'database'].map((check) =>
          expect.objectContaining({ name: check, message: expect.stringContaining(reason) }),
        ),
      ),
    );
  });
});

test('a DATABASE_URL that names a device is refused', async (t) => {
  const { folder, drop } = await freshDatabase('sqlite');
  t.onTestFinished(drop);

  const { code, stderr } = await runCommand(t, { folder, url: 'sqlite:/dev/full' }, ['user', 'list']);

  expect([code, stderr]).toEqual([1, expect.stringContaining('/dev/full is a device, not a file')]);
});
