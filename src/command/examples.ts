import type { Command } from 'commander';

declare module 'commander' {
  interface Command {
    /** The examples of the command, for the documentation. */
    examples?: readonly string[];
  }
}

/** Adds examples to the --help text of a command. Each example is one line, as a user types it. */
export function addExamples(command: Command, examples: readonly string[]): void {
  command.examples = examples;
  command.addHelpText('after', `\nExamples:\n${examples.map((line) => `  ${line}`).join('\n')}`);
}
