import type { CommandServices } from '../command/context.ts';
import { openDatabase } from '../db/open.ts';
import { requireAnswer, requireFile } from '../db/reach.ts';
import { systemClock } from '../lib/clock.ts';
import { createPasswordHasher } from '../lib/password-hash.ts';
import { createSealer } from '../lib/sealing.ts';
import { loadSettings } from '../settings/load.ts';
import { sessionSecrets } from '../settings/secrets.ts';
import { createPrompts } from './prompts.ts';

const warn = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

interface WithServices<T> {
  /** Whether the file of an SQLite database is made where there is none. */
  makesFile: boolean;
  work(services: CommandServices): Promise<T>;
}

/** Opens what commands work with, and closes it when `work` is done. */
export async function withServices<T>({ makesFile, work }: WithServices<T>): Promise<T> {
  const settings = loadSettings();
  const database = await openDatabase(settings.DATABASE_URL, {
    max: 2,
    isPatient: true,
    onTrouble: (error, what) => warn(`${what}: ${error instanceof Error ? error.message : error}`),
  });
  try {
    if (!makesFile) requireFile(database);
    await requireAnswer(database);
    return await work({
      settings,
      database,
      clock: systemClock,
      passwords: createPasswordHasher(),
      sealer: () => createSealer(sessionSecrets(settings)),
      ...createPrompts({ input: process.stdin, output: process.stderr }),
      warn,
    });
  } finally {
    await database.close();
  }
}
