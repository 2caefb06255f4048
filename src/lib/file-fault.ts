import { accessSync, constants, readFileSync, readlinkSync, type Stats, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, resolve } from 'node:path';
import process from 'node:process';

/** Returns the name of an account in the operating system, or its number if it has no name. */
function accountName(uid: number): string {
  try {
    const line = readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .find((entry) => entry.split(':')[2] === String(uid));
    return line?.split(':')[0] ?? `uid ${uid}`;
  } catch {
    return `uid ${uid}`;
  }
}

function ownName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

/** Returns the target of a symbolic link, or undefined if the path is not a link. */
function targetOf(path: string): string | undefined {
  try {
    return resolve(dirname(path), readlinkSync(path));
  } catch {
    return undefined;
  }
}

/**
 * Finds the first path that this process can examine: the file itself, the target of a link, or a folder above it.
 * A folder that this process may not enter hides the files in it.
 */
function findVisible(path: string): { path: string; stats: Stats } | undefined {
  try {
    return { path, stats: statSync(path) };
  } catch {
    const next = targetOf(path) ?? dirname(path);
    return next === path ? undefined : findVisible(next);
  }
}

/** Names the owner of a file that this process may not use, and the command that grants access. */
function describeOwner(path: string): string {
  const found = findVisible(path);
  const me = ownName();
  if (!found) return `${me} may not use ${path}`;
  const { uid, mode } = found.stats;
  const isOwn = uid === process.getuid?.();
  const rights = `mode ${(mode & 0o777).toString(8).padStart(4, '0')}`;
  const remedy = isOwn ? `chmod u+rwX ${found.path}` : `chown ${me} ${found.path}`;
  const owner = isOwn ? 'it' : accountName(uid);
  return `${me} may not use ${path}: ${found.path} belongs to ${owner} (${rights}). As root, run \`${remedy}\``;
}

/**
 * Returns an error if this process cannot read and write a file or folder. Returns undefined if it can, or if the
 * file does not exist.
 */
export function accessFault(path: string): Error | undefined {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return undefined;
  } catch (error) {
    if (!(error instanceof Error) || ('code' in error && error.code === 'ENOENT')) return undefined;
    return error;
  }
}

const kinds: readonly [name: string, is: (stats: Stats) => boolean][] = [
  ['a folder', (stats) => stats.isDirectory()],
  ['a named pipe', (stats) => stats.isFIFO()],
  ['a socket', (stats) => stats.isSocket()],
  ['a device', (stats) => stats.isCharacterDevice() || stats.isBlockDevice()],
];

/**
 * Returns an error if a path is not a regular file, because opening a named pipe, for example, can wait forever.
 * Returns undefined if it is a file, or if this process can see nothing at the path.
 */
export function kindFault(path: string): Error | undefined {
  const stats = findStats(path);
  const kind = stats && kinds.find(([, is]) => is(stats))?.[0];
  return kind === undefined ? undefined : new Error(`${path} is ${kind}, not a file`);
}

function findStats(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

const faults: Record<string, (path: string) => string> = {
  EACCES: describeOwner,
  EPERM: describeOwner,
  ENOENT: (path) => `${path} does not exist`,
  ENOTDIR: (path) => `a part of ${path} is a file, not a folder`,
  EISDIR: (path) => `${path} is a folder, not a file`,
  EEXIST: (path) => `${path} exists already`,
  EROFS: (path) => `${path} is on a file system that is read-only`,
  ENOSPC: (path) => `no space is left on the disk of ${path}`,
  EDQUOT: (path) => `the disk quota of this user is used up at ${path}`,
  ENAMETOOLONG: (path) => `${path} is too long for a path`,
  ELOOP: (path) => `${path} leads into a loop of symbolic links`,
  EMFILE: () => 'this process has too many files open (ulimit -n)',
  ENFILE: () => 'this machine has too many files open',
  EIO: (path) => `the disk of ${path} fails`,
};

/**
 * Describes what is wrong with a file: its path, its owner if access is denied, and how to fix it.
 *
 * @param error error of a function of node:fs
 * @param file path to use if the error contains none
 * @returns text without a full stop at the end; for an unknown error, its message
 */
export function describeFileFault(error: unknown, file?: string): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const path = 'path' in error && typeof error.path === 'string' ? error.path : file;
  if (path !== undefined) return faults[code]?.(path) ?? error.message;
  return code === 'ENOSPC' ? 'no space is left on the disk' : error.message;
}
