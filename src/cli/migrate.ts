import type { Command } from 'commander';
import { type MigrationStatus, migrate, migrationStatus } from '../db/migrate.ts';
import { printResult, withServices } from './context.ts';

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

/** Adds `authsvc migrate`. */
export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('bring the database up to this version; `serve` does the same at its start')
    .option('--status', 'show what is applied and what is pending, and change nothing')
    .option('--json', 'print one JSON value and nothing else')
    .action(async (options: Options) => {
      const result = await withServices(async ({ database }) => {
        if (!options.status) {
          const applied = await migrate(database);
          return {
            json: { applied },
            lines: applied.length > 0 ? applied.map((name) => `applied ${name}`) : ['Up to date.'],
          };
        }
        const status = await migrationStatus(database);
        return { json: status, lines: describe(status) };
      });
      printResult(result, options.json === true);
    });
}
