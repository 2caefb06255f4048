import { execFile } from 'node:child_process';
import { appendFileSync, existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, rmdir, statfs, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import type { Owner } from '../lifecycle/support.ts';

const execute = promisify(execFile);

/** A separate file system that can be filled to its last byte. */
export interface SmallDisk {
  folder: string;
  fill(): Promise<void>;
  makeRoom(): Promise<void>;
}

async function mount(megabytes: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'authsvc-disk-'));
  try {
    await execute('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'authsvc-test', folder]);
    await chmod(folder, 0o755);
    return folder;
  } catch (error) {
    await rmdir(folder);
    throw error;
  }
}

async function unmount(folder: string): Promise<void> {
  await execute('umount', ['--lazy', folder]);
  await rmdir(folder);
}

/** Returns whether file systems can be mounted on this machine, which requires Linux and root. Prints a message if not. */
export async function canMount(): Promise<boolean> {
  try {
    await unmount(await mount(1));
    return true;
  } catch {
    process.stderr.write(
      'no file system can be mounted here, the tests of a full disk are left out: run them as root\n',
    );
    return false;
  }
}

/** Mounts a disk of this many megabytes. It is unmounted when the test ends. */
export async function smallDisk(t: Owner, megabytes: number): Promise<SmallDisk> {
  const folder = await mount(megabytes);
  t.onTestFinished(() => unmount(folder));
  const ballast = join(folder, 'ballast');
  const fill = async () => {
    for (let size = 1024 * 1024; size > 0; size = Math.floor(size / 2)) {
      try {
        for (;;) appendFileSync(ballast, Buffer.alloc(size));
      } catch {
        // This piece does not fit any more. The next, smaller piece may still fit.
      }
    }
    const { bavail } = await statfs(folder);
    if (bavail > 0) throw new Error(`${bavail} blocks are left on the disk that was to be filled`);
  };
  const makeRoom = async () => {
    if (existsSync(ballast)) await truncate(ballast, 0);
    await rm(ballast, { force: true });
  };
  return { folder, fill, makeRoom };
}
