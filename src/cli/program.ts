import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { addTokenCommands } from '../api-tokens/cli.ts';
import { addApplicationCommands } from '../applications/cli.ts';
import { addAuditCommands } from '../audit/cli.ts';
import { CommandFailure } from '../command/command-failure.ts';
import { addExamples } from '../command/examples.ts';
import { exitCodeOf, REFUSED, refusalWords, USAGE } from '../command/refusal-words.ts';
import { DatabaseError } from '../db/reach.ts';
import { describeDatabaseFault } from '../db/reasons.ts';
import { addProfileCommands } from '../device-login/cli.ts';
import { addDoctorCommand } from '../doctor/cli.ts';
import { AppError } from '../errors/app-error.ts';
import { addSecondFactorCommands } from '../factors/cli.ts';
import { addPasskeyCommands } from '../factors/passkey-cli.ts';
import { describeFileFault } from '../lib/file-fault.ts';
import { toPrintable } from '../lib/plain-text.ts';
import { addMovingCommands } from '../moving/cli.ts';
import { addOidcCommands } from '../oidc/cli.ts';
import { addSessionCommands } from '../sessions/cli.ts';
import { SettingsError } from '../settings/settings-error.ts';
import type { Settings } from '../settings/table.ts';
import { addLinkCommands } from '../social/cli.ts';
import { addUserCommands } from '../users/cli.ts';
import { addWebhookCommands } from '../webhooks/cli.ts';
import { addWelcomeCommands } from '../welcome/cli.ts';
import { commandContext } from './context.ts';
import { addHealthCommand } from './health.ts';
import { addMigrateCommand } from './migrate.ts';
import { addPersonCommands } from './person-commands.ts';
import { guardStreams } from './standard-streams.ts';

const DONE = 0;

interface ProgramParts {
  version: string;
  serve(options: { host?: string; port?: string; workers?: string }): Promise<void>;
  /** Throws a SettingsError if the service would not start with the templates and pictures that the settings name. */
  checkTheme(settings: Settings): Promise<void>;
}

const examples = `
Examples:
  authsvc serve                                    start on the settings of the environment and .env
  authsvc serve --workers 4                        the same by four processes, for as many processors
  authsvc migrate                                  make a database without starting
  authsvc user add ada --role superadmin           asks for the password
  authsvc user set ada --inactive                  ends all of ada's sessions at once
  authsvc profile add Backups --key backup-tools   lets programs sign people in by a device login
  authsvc app add portal --name Portal --url https://portal.example.com   registers an application
  authsvc session list ada --json                  one JSON value, for programs

Exit codes: 0 done, 1 refused (the reason is on stderr), 2 wrong usage.
Settings: docs/settings.md. Every command may run while the server runs, with the same settings.`;

/** Makes options refuse a value that begins with `--`. It is the next option, and the real value is missing. */
function refuseOptionsAsValues(command: Command): void {
  for (const option of command.options.filter(({ required }) => required)) {
    const { parseArg } = option;
    option.argParser((value: string, before: unknown) => {
      if (value.startsWith('--')) throw new InvalidArgumentError('Its value is missing.');
      return parseArg ? parseArg(value, before) : value;
    });
  }
  for (const inner of command.commands) refuseOptionsAsValues(inner);
}

/** Adds "(required)" to the help text of required options. */
function markRequiredOptions(command: Command): void {
  for (const option of command.options.filter(({ mandatory }) => mandatory)) option.description += ' (required)';
  for (const inner of command.commands) markRequiredOptions(inner);
}

/** Creates the whole command line. */
export function createProgram({ version, serve, checkTheme }: ProgramParts): Command {
  const program = new Command('authsvc');
  program
    .description('Authentication service for the applications under one root domain.')
    .version(version)
    .addHelpText('after', examples)
    .exitOverride()
    .enablePositionalOptions()
    .showHelpAfterError('Run the command with --help to see how it is used.');
  const serving = program
    .command('serve')
    .description('start the service; SIGTERM or SIGINT stops it')
    .addOption(new Option('--host <host>', 'address to listen on (setting HOST)'))
    .addOption(new Option('--port <port>', 'port to listen on, 0 for a free one (setting PORT)'))
    .addOption(new Option('--workers <number>', 'number of processes that share the port (setting WORKERS)'))
    .action(serve);
  addExamples(serving, [
    'authsvc serve',
    'authsvc serve --port 8080',
    'authsvc serve --host 0.0.0.0    for a proxy on another machine',
  ]);
  addMigrateCommand(program);
  addWelcomeCommands(addUserCommands(program, commandContext), commandContext);
  addSecondFactorCommands(program, commandContext);
  addPasskeyCommands(program, commandContext);
  addLinkCommands(program, commandContext);
  addSessionCommands(program, commandContext);
  addTokenCommands(program, commandContext);
  addProfileCommands(program, commandContext);
  addApplicationCommands(program, commandContext);
  addOidcCommands(program, commandContext);
  addWebhookCommands(program, commandContext);
  addAuditCommands(program, commandContext);
  addMovingCommands(program, commandContext);
  addHealthCommand(program, commandContext);
  addDoctorCommand(program, commandContext, { checkTheme });
  addPersonCommands(program);
  refuseOptionsAsValues(program);
  markRequiredOptions(program);
  return program;
}

function complain(text: string): void {
  process.stderr.write(`${text.split('\n').map(toPrintable).join('\n')}\n`);
}

/** Errors whose message is already a readable sentence. */
const explained = [CommandFailure, SettingsError, DatabaseError];

/** Returns the reason of a failure as a readable sentence without a stack. */
function reasonOf(error: unknown): string {
  if (error instanceof AppError) return refusalWords(error);
  if (error instanceof Error && explained.some((kind) => error instanceof kind)) return error.message;
  return `The command failed: ${describeDatabaseFault({ file: undefined }, error)}.`;
}

/** Runs the command that `argv` names. Returns the exit code. If the command is refused, prints the reason to stderr. */
export async function runProgram(program: Command, argv: readonly string[]): Promise<number> {
  const finishOutput = guardStreams();
  const code = await runCommand(program, argv);
  const failure = await finishOutput();
  if (code !== DONE || !failure) return code;
  complain(`The result could not be written: ${describeFileFault(failure)}.`);
  return REFUSED;
}

async function runCommand(program: Command, argv: readonly string[]): Promise<number> {
  try {
    await program.parseAsync(argv, { from: 'user' });
    return DONE;
  } catch (error) {
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? DONE : USAGE;
    }
    const reason = reasonOf(error);
    if (reason !== '') complain(reason);
    if (error instanceof AppError) return exitCodeOf(error);
    return error instanceof CommandFailure ? error.exitCode : REFUSED;
  }
}
