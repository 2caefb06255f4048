import type { Command } from 'commander';
import type { CommandContext, CommandResult, CommandServices } from '../command/context.ts';
import { auditCommand } from './audit.ts';

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

/** The context that every feature's commands get. */
export const commandContext: CommandContext = {
  action: (command: Command, work) => {
    command.option('--json', 'print one JSON value and nothing else');
    return async (...args) => {
      const [{ withServices }, { requireCurrentSchema }] = await Promise.all([
        import('./with-services.ts'),
        import('../db/migrate.ts'),
      ]);
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
