import { link, open, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { CommandFailure } from '../command/command-failure.ts';
import { describeDatabaseFault } from '../db/reasons.ts';
import { randomHex } from '../lib/random.ts';

async function toDisk(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Gives the draft its final name. Fails if a file with that name exists. */
async function name(draft: string, file: string): Promise<void> {
  await toDisk(draft);
  await link(draft, file);
  await rm(draft);
  await toDisk(dirname(file));
}

/**
 * Writes a new file that only its owner can read. `write` fills a draft file, which gets the final name only when
 * it is complete and on disk. So a command that is killed leaves no incomplete file with that name.
 *
 * @param what the kind of file, for error messages
 * @param given path of the new file
 * @param write fills the draft, which is empty
 * @throws CommandFailure if the file exists or cannot be written
 */
export async function writeNewFile<T>(what: string, given: string, write: (draft: string) => Promise<T>): Promise<T> {
  const file = resolve(given);
  const draft = join(dirname(file), `.${basename(file)}.${randomHex(4)}`);
  try {
    const taken = await stat(file).catch(() => undefined);
    if (taken) throw new CommandFailure(`${file} exists already. Name a new file.`);
    if (given.endsWith('/')) throw new CommandFailure(`${given} names a folder. Name a new file.`);
    await (await open(draft, 'wx', 0o600)).close();
    const result = await write(draft);
    await name(draft, file);
    return result;
  } catch (error) {
    // Removing the draft fails if the path of its folder is not a folder. The error to report is the first one.
    await rm(draft, { force: true }).catch(() => undefined);
    if (error instanceof CommandFailure || !(error instanceof Error && 'code' in error)) throw error;
    // An error of the file system: the message contains the path of the file and not that of the draft. For ENOENT it
    // contains the folder, because only the folder can be missing. An error of SQLite has no path.
    const path = error.code === 'ENOENT' ? dirname(file) : file;
    const fault = 'syscall' in error ? Object.assign(error, { path }) : error;
    throw new CommandFailure(`The ${what} could not be written: ${describeDatabaseFault({ file: undefined }, fault)}.`);
  }
}
