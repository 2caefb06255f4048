import { type Command, Option } from 'commander';
import type { CommandContext, CommandServices } from '../command/context.ts';
import { addExamples } from '../command/examples.ts';
import { secretFile } from '../settings/secrets.ts';
import type { ExportOptions } from './export.ts';
import type { ImportOptions } from './import-file.ts';
import type { MbkautheOptions } from './import-mbkauthe.ts';

type Parts = Pick<CommandServices, 'settings' | 'warn'>;

/**
 * If the session secret is in a key file, warns that the database alone is not enough. Without the key, its sealed
 * values cannot be opened.
 */
function warnOfKeyFile({ settings, warn }: Parts): void {
  const file = secretFile(settings);
  if (file !== undefined)
    warn(`SESSION_SECRET_KEY is not set. The database can be used only together with the key in ${file}: keep both.`);
}

function addBackupCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('backup <file>')
    .description('write a copy of the SQLite database into a new file while the service runs');
  command.action(
    context.action(command, async (services, file: string) => {
      const { backup } = await import('./backup.ts');
      const result = await backup(services.database, file);
      warnOfKeyFile(services);
      return result;
    }),
  );
  addExamples(command, ['authsvc backup /var/backups/authsvc-monday.sqlite']);
}

function addImportCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('import <file>')
    .description('add users, applications and profiles from a file of JSON lines; the file name - reads standard input')
    .option('--dry-run', 'report what would be done, and write nothing')
    .option('--update', 'also update existing entries; without this option they stay as they are')
    .enablePositionalOptions();
  command.action(
    context.action(command, async (services, file: string, options: ImportOptions) => {
      const { importFile } = await import('./import-file.ts');
      return importFile(services, file, options);
    }),
  );
  addExamples(command, [
    'authsvc import users.jsonl --dry-run',
    'authsvc import users.jsonl --update --json',
    'node convert.js | authsvc import -',
  ]);
  addMbkautheCommand(command, context);
}

const collect = (value: string, before: string[] = []): string[] => [...before, value];

function addMbkautheCommand(importing: Command, context: CommandContext): void {
  const command = importing
    .command('mbkauthe')
    .description(
      'add the users, second factors, provider links, tokens and profiles of an mbkauthe database, which stays unchanged',
    )
    .requiredOption(
      '--from <url>',
      'database of mbkauthe: sqlite:PATH, postgres://…, or env:NAME for the value of the environment variable NAME',
    )
    .option(
      '--pepper-file <file>',
      'file with the SESSION_SECRET_KEY of mbkauthe; default: the environment variable MBKAUTHE_PEPPER',
    )
    .addOption(
      new Option('--passwords <how>', 'how mbkauthe stored passwords')
        .choices(['peppered', 'unpeppered', 'plain', 'none'])
        .default('peppered'),
    )
    .option('--rename-app <old=new>', 'rename an application (may be repeated)', collect)
    .option('--dry-run', 'report what would be done, and write nothing')
    .option('--update', 'also update existing entries; without this option they stay as they are');
  command.action(
    context.action(command, async (services, options: MbkautheOptions) => {
      const { importMbkauthe } = await import('./import-mbkauthe.ts');
      return importMbkauthe(services, options);
    }),
  );
  addExamples(command, [
    'authsvc import mbkauthe --from env:OLD_DATABASE --pepper-file pepper --rename-app mbkauthe=portal',
  ]);
}

function addExportCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('export')
    .description('print applications, profiles and users as JSON lines, in the format that import reads')
    .option(
      '--with-hashes',
      'include password hashes, secrets of second factors, passkeys, and hashes of tokens and application secrets; keep the output safe',
    )
    .option('--to <file>', 'write to a new file that only its owner can read, instead of standard output');
  command.action(
    context.action(command, async (services, options: ExportOptions) => {
      const { exportRecords } = await import('./export.ts');
      return exportRecords(services, options);
    }),
  );
  addExamples(command, ['authsvc export > users.jsonl', 'authsvc export --with-hashes --to moving.jsonl']);
}

function addCopyCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('copy')
    .description('copy a database into an empty one, between SQLite and PostgreSQL in either direction')
    .requiredOption(
      '--from <url>',
      'database to copy: sqlite:PATH, postgres://…, or env:NAME for the value of the environment variable NAME',
    )
    .requiredOption('--to <url>', 'address of the empty database for the copy, in the same form as --from');
  command.action(
    context.bareAction(command, async (parts, options: { from: string; to: string }) => {
      const { copy } = await import('./copy.ts');
      const result = await copy(options);
      warnOfKeyFile(parts);
      return result;
    }),
  );
  addExamples(command, ['authsvc copy --from sqlite:data/authsvc.sqlite --to env:NEW_DATABASE']);
}

/** Adds the commands that import, export, copy and back up data. */
export function addMovingCommands(program: Command, context: CommandContext): void {
  addImportCommand(program, context);
  addExportCommand(program, context);
  addCopyCommand(program, context);
  addBackupCommand(program, context);
}
