import type { Command } from 'commander';
import type { CommandResult, CommandServices } from '../command/context.ts';
import type { Database } from '../db/handle.ts';
import type { MigrationStatus } from '../db/migrate.ts';
import { printResult } from './context.ts';

interface Options {
  status?: true;
  json?: true;
}

function describe({ applied, pending, unknown }: MigrationStatus): string[] {
  return [
    ...applied.map((name) => `applied  ${name}`),
    ...pending.map((name) => `pending  ${name}`),
    ...unknown.map((name) => `unknown  ${name} (of a newer version)`),
  ];
}

async function tellStatus(database: Database): Promise<CommandResult> {
  const { migrationStatus } = await import('../db/migrate.ts');
  const status = await migrationStatus(database);
  return { json: status, lines: describe(status) };
}

async function bringUpToDate({ database, clock, settings, warn }: CommandServices): Promise<CommandResult> {
  const [{ prepareDatabase }, { unreadableFactorsText }, { sessionSecrets }] = await Promise.all([
    import('./prepare-database.ts'),
    import('../factors/unreadable.ts'),
    import('../settings/secrets.ts'),
  ]);
  const parts = { secrets: sessionSecrets(settings), now: clock.now(), makesFurtherKey: false };
  const { applied, unreadable } = await prepareDatabase(database, parts);
  if (unreadable > 0) warn(unreadableFactorsText(unreadable));
  const lines = applied.length > 0 ? applied.map((name) => `applied  ${name}`) : ['Up to date.'];
  return { json: { applied }, lines };
}

/** Adds the `authsvc migrate` command. */
export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('migrate the database to this version; `serve` does the same at its start')
    .option('--status', 'show which migrations are applied and which are pending, and change nothing')
    .option('--json', 'print one JSON value and nothing else')
    .action(async (options: Options) => {
      const { withServices } = await import('./with-services.ts');
      const result = await withServices({
        makesFile: !options.status,
        command: 'migrate',
        isJson: options.json === true,
        work: (services) => (options.status ? tellStatus(services.database) : bringUpToDate(services)),
      });
      printResult(result, options.json === true);
    });
}
