import type { Argument, Command, Option } from 'commander';
import { code, page, sentence, table } from './markdown.ts';

const introduction = `
\`authsvc\` is the executable of the package. In a clone of the project, run it as \`npx authsvc\`.

Every command may run while the service runs, with SQLite and with PostgreSQL. Its changes take effect in the running service at once. \`serve\`, \`migrate\` and \`copy\` create a
database. The other commands that use the database of the settings fail if there is none. With \`--json\`, a command prints one JSON
value on standard output and nothing else; \`audit follow --json\` prints one object per line. A command reads a password from standard input with \`--password-stdin\` (everything except a final line break), or from a prompt that does not show
it, but never from an argument. A command that changes something writes an audit line in JSON to standard error, unless standard error is a terminal, \`--json\` is given, or \`LOG_LEVEL\` is \`warn\` or higher. \`webhook retry\`, \`copy\`, \`migrate\`, \`login\` and \`logout\` write no audit line. At a terminal, \`user remove\`, \`app remove\`, \`webhook remove\` and \`session revoke-all\` without a name ask for confirmation; \`--yes\` skips
the question.

| Exit code | Meaning |
|---|---|
| 0 | the command succeeded |
| 1 | the command was refused or failed; the reason is on standard error, or with \`doctor\` on standard output |
| 2 | wrong usage: an unknown command or option, or an argument with an invalid value; the reason is on standard error |`;

/** Returns the full name of a command: the names of its parents, then its own. */
const nameOf = (command: Command): string =>
  command.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name();

const argumentText = (argument: Argument): string => {
  const name = `${argument.name()}${argument.variadic ? '…' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
};

/**
 * Returns a table of the arguments of a command that have a description. Most arguments need no description besides their
 * names.
 */
function argumentRows({ registeredArguments }: Command): string[] {
  const described = registeredArguments.filter(({ description }) => description !== '');
  const rows = described.map((argument) => [code(argumentText(argument)), argument.description]);
  return table(['Argument', 'Meaning'], rows);
}

function optionRow(option: Option): string[] {
  const choices = option.argChoices ? ` (${option.argChoices.join(', ')})` : '';
  const fallback = option.defaultValue === undefined ? '' : ` (default ${JSON.stringify(option.defaultValue)})`;
  return [code(option.flags), `${option.description}${choices}${fallback}`];
}

function exampleLines(command: Command): string[] {
  const { examples = [] } = command;
  return examples.length > 0 ? ['```text', ...examples, '```', ''] : [];
}

function section(command: Command): string[] {
  const inner = command.commands.filter((one) => one.name() !== 'help').flatMap(section);
  // A group has subcommands and takes no arguments itself. `import` has a subcommand but also takes a file, so it is not
  // a group.
  const isGroup = inner.length > 0 && command.registeredArguments.length === 0;
  if (isGroup) return [`## ${nameOf(command)}`, '', sentence(command.description()), '', ...inner];
  const usage = [nameOf(command), ...command.registeredArguments.map(argumentText)].join(' ');
  const level = command.parent?.parent ? '###' : '##';
  return [
    `${level} ${usage.replaceAll('<', '\\<')}`,
    '',
    sentence(command.description()),
    '',
    ...argumentRows(command),
    ...table(['Option', 'Meaning'], command.options.filter((option) => !option.hidden).map(optionRow)),
    ...exampleLines(command),
    ...inner,
  ];
}

/** Creates docs/command-line.md: every command with its arguments and options. */
export function commandLinePage(program: Command): string {
  const sections = program.commands.filter((one) => one.name() !== 'help').flatMap(section);
  return page('Command line', 'the commands in src/cli/program.ts', [introduction.trim(), '', ...sections]);
}
