import { link, open, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { CommandFailure } from '../command/command-failure.ts';
import { describeFileFault } from '../lib/file-fault.ts';
import { randomHex } from '../lib/random.ts';

async function toDisk(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Names the draft unless a file already has that name. */
async function name(draft: string, file: string): Promise<void> {
  await toDisk(draft);
  await link(draft, file);
  await rm(draft);
  await toDisk(dirname(file));
}

/**
 * Writes a new file that only its owner can read. It is whole and on disk before it gets its name, so a command that is
 * killed leaves no such file.
 *
 * @param what the file, as messages name it
 * @param write fills the draft, an empty file
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
    await rm(draft, { force: true });
    if (error instanceof CommandFailure || !(error instanceof Error && 'code' in error)) throw error;
    // Messages name the file and not its draft; what is missing can only be the folder.
    const fault = Object.assign(error, { path: error.code === 'ENOENT' ? dirname(file) : file });
    throw new CommandFailure(`The ${what} could not be written: ${describeFileFault(fault)}.`);
  }
}
