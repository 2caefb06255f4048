import type { Command } from 'commander';

declare module 'commander' {
  interface Command {
    /** The examples of the command, for the documentation. */
    examples?: readonly string[];
  }
}

/** Adds examples to the --help text of a command; each is a line as the user types it. */
export function addExamples(command: Command, examples: readonly string[]): void {
  command.examples = examples;
  command.addHelpText('after', `\nExamples:\n${examples.map((line) => `  ${line}`).join('\n')}`);
}
