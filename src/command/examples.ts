import type { Command } from 'commander';

const known = new WeakMap<Command, readonly string[]>();

/** Adds examples to what --help says of a command; each a line as it is typed. */
export function addExamples(command: Command, examples: readonly string[]): void {
  known.set(command, examples);
  command.addHelpText('after', `\nExamples:\n${examples.map((line) => `  ${line}`).join('\n')}`);
}

/** The examples of a command, for the documentation. */
export const examplesOf = (command: Command): readonly string[] => known.get(command) ?? [];
