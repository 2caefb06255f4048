import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { link, open, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { CommandFailure } from '../command/command-failure.ts';
import type { CommandResult } from '../command/context.ts';
import { textFields } from '../command/table.ts';
import { writeBackup } from '../db/backup.ts';
import type { Database } from '../db/handle.ts';
import { describeFileFault } from '../lib/file-fault.ts';
import { randomHex } from '../lib/random.ts';

const failure = (error: unknown, file: string): CommandFailure =>
  new CommandFailure(`The backup could not be written: ${describeFileFault(error, file)}.`);

async function toDisk(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const part of createReadStream(file)) hash.update(part);
  return hash.digest('hex');
}

/** Renames the draft unless a file already has that name. */
async function name(draft: string, file: string): Promise<void> {
  await toDisk(draft);
  await link(draft, file);
  await rm(draft);
  await toDisk(dirname(file));
}

/**
 * Writes a checked copy of the SQLite database into a new file while the service runs. Only the owner can read it, and
 * it is on disk before it gets its name.
 *
 * @throws CommandFailure if the database is PostgreSQL, or the file exists or cannot be written
 */
export async function backup(database: Database, given: string): Promise<CommandResult> {
  const { kind, place } = database;
  if (kind === 'postgres')
    throw new CommandFailure(
      `The database is PostgreSQL. Back it up with: pg_dump --format=custom --file=FILE --dbname=${place.shown}`,
    );
  const file = resolve(given);
  const draft = join(dirname(file), `.${basename(file)}.${randomHex(4)}`);
  try {
    const taken = await stat(file).catch(() => undefined);
    if (taken) throw new CommandFailure(`${file} exists already. Name a new file.`);
    await (await open(draft, 'wx', 0o600)).close();
    const { users, sessions } = await writeBackup(database, draft);
    const [{ size }, sha256] = await Promise.all([stat(draft), digestOf(draft)]);
    await name(draft, file);
    const json = { file: given, bytes: size, users, sessions, sha256 };
    const lines = textFields({ file, bytes: String(size), users: String(users), sessions: String(sessions), sha256 });
    return { json, lines };
  } catch (error) {
    await rm(draft, { force: true });
    throw error instanceof CommandFailure || !(error instanceof Error && 'code' in error)
      ? error
      : failure(error, file);
  }
}
