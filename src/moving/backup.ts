import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { CommandFailure } from '../command/command-failure.ts';
import type { CommandResult } from '../command/context.ts';
import { textFields } from '../command/table.ts';
import { writeBackup } from '../db/backup.ts';
import type { Database } from '../db/handle.ts';
import { writeNewFile } from './new-file.ts';

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const part of createReadStream(file)) hash.update(part);
  return hash.digest('hex');
}

/**
 * Writes a verified copy of the SQLite database into a new file while the service runs. Only the file's owner can
 * read it. The copy gets its final name only when it is complete and on disk.
 *
 * @throws CommandFailure if the database is PostgreSQL, or if the file exists or cannot be written
 */
export async function backup(database: Database, file: string): Promise<CommandResult> {
  const { kind, place } = database;
  if (kind === 'postgres')
    throw new CommandFailure(
      `The database is PostgreSQL. Back it up with: pg_dump --format=custom --file=FILE --dbname=${place.shown}`,
    );
  return writeNewFile('backup', file, async (draft) => {
    const { users, sessions } = await writeBackup(database, draft);
    const [{ size }, sha256] = await Promise.all([stat(draft), digestOf(draft)]);
    const counts = { bytes: String(size), users: String(users), sessions: String(sessions) };
    return {
      json: { file, bytes: size, users, sessions, sha256 },
      lines: textFields({ file: resolve(file), ...counts, sha256 }),
    };
  });
}
