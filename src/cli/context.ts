import type { Command } from 'commander';
import type { CommandContext, CommandResult, CommandServices } from '../command/context.ts';
import { requireCurrentSchema } from '../db/migrate.ts';
import { openDatabase } from '../db/open.ts';
import { requireAnswer, requireFile } from '../db/reach.ts';
import { systemClock } from '../kit/clock.ts';
import { createPasswordHasher } from '../kit/password-hash.ts';
import { createSealer } from '../kit/sealing.ts';
import { loadSettings } from '../settings/load.ts';
import { sessionSecrets } from '../settings/secrets.ts';
import { auditCommand } from './audit.ts';
import { createPrompts } from './prompts.ts';

const warn = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

/** Prints what a command found: one JSON value, or lines for a person. */
export function printResult({ json, lines }: CommandResult, asJson: boolean): void {
  process.stdout.write(asJson ? `${JSON.stringify(json)}\n` : `${lines.join('\n')}\n`);
}

/** The words of a command below the program. */
const wordsOf = (command: Command): string =>
  command.parent?.parent ? `${wordsOf(command.parent)} ${command.name()}` : command.name();

/** Tells the audit trail what a command changed. With --json the result is all there is. */
function auditResult({ settings, clock }: CommandServices, command: Command, { changed }: CommandResult): void {
  if (!changed || command.opts().json === true) return;
  auditCommand({ level: settings.LOG_LEVEL, now: clock.now(), command: wordsOf(command), changed });
}

interface WithServices<T> {
  /** Whether the file of an SQLite database is made where there is none. */
  makesFile: boolean;
  work(services: CommandServices): Promise<T>;
}

/** Opens what commands work with, and closes it when `work` is done. */
export async function withServices<T>({ makesFile, work }: WithServices<T>): Promise<T> {
  const settings = loadSettings();
  const database = openDatabase(settings.DATABASE_URL, {
    max: 2,
    isPatient: true,
    onLost: (error) => warn(error.message),
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

/** The context that every feature's commands get. */
export const commandContext: CommandContext = {
  action: (command: Command, work) => {
    command.option('--json', 'print one JSON value and nothing else');
    return async (...args) => {
      const result = await withServices({
        makesFile: false,
        work: async (services) => {
          await requireCurrentSchema(services.database);
          const found = await work(services, ...args);
          auditResult(services, command, found);
          return found;
        },
      });
      printResult(result, command.opts().json === true);
    };
  },
};
