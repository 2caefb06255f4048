import type { Command } from 'commander';
import { CommandFailure } from '../command/command-failure.ts';
import type { CommandContext, CommandResult } from '../command/context.ts';
import { toPrintableJson } from '../lib/plain-text.ts';

/** Prints the result of a command: one JSON value, or lines for people. */
export function printResult({ json, lines, lineEnd = '\n' }: CommandResult, asJson: boolean): void {
  process.stdout.write(asJson ? `${toPrintableJson(json)}\n` : lines.map((line) => line + lineEnd).join(''));
}

/** Prints the result. If it has an exit code other than 0, exits with that code and no message. */
function finish(result: CommandResult, asJson: boolean): void {
  printResult(result, asJson);
  if (result.exitCode) throw new CommandFailure('', result.exitCode);
}

/** Returns the command's words without the program's name, such as `user set`. */
const wordsOf = (command: Command): string =>
  command.parent?.parent ? `${wordsOf(command.parent)} ${command.name()}` : command.name();

/** The context that every feature gets to define its commands. */
export const commandContext: CommandContext = {
  action: (command: Command, work) => {
    command.option('--json', 'print one JSON value and nothing else');
    return async (...args) => {
      const [{ withServices }, { requireCurrentSchema }] = await Promise.all([
        import('./with-services.ts'),
        import('../db/migrate.ts'),
      ]);
      const isJson = command.opts().json === true;
      const result = await withServices({
        makesFile: false,
        command: wordsOf(command),
        isJson,
        work: async (services) => {
          await requireCurrentSchema(services.database);
          return work(services, ...args);
        },
      });
      if (result) finish(result, isJson);
    };
  },
  plainAction: (command: Command, work) => {
    command.option('--json', 'print one JSON value and nothing else');
    return async () => finish(await work(), command.opts().json === true);
  },
  bareAction: (command: Command, work) => {
    command.option('--json', 'print one JSON value and nothing else');
    return async (...args) => {
      const { loadSettings } = await import('../settings/load.ts');
      const warn = (text: string) => void process.stderr.write(`${text}\n`);
      finish(await work({ settings: loadSettings(), warn }, ...args), command.opts().json === true);
    };
  },
};
