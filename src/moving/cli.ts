import type { Command } from 'commander';
import type { CommandContext, CommandServices } from '../command/context.ts';
import { addExamples } from '../command/examples.ts';
import { secretFile } from '../settings/secrets.ts';

type Parts = Pick<CommandServices, 'settings' | 'warn'>;

/** The secret is no part of the database: without it, what is sealed there cannot be opened. */
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

function addCopyCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('copy')
    .description('copy a database into an empty one, between SQLite and PostgreSQL in any direction')
    .requiredOption(
      '--from <url>',
      'database to copy: sqlite:PATH, postgres://…, or env:NAME for the value of a variable',
    )
    .requiredOption('--to <url>', 'empty database that takes the copy');
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

/** Adds the commands that move data in, out and elsewhere. */
export function addMovingCommands(program: Command, context: CommandContext): void {
  addCopyCommand(program, context);
  addBackupCommand(program, context);
}
