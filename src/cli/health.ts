import type { Command } from 'commander';
import { CommandFailure } from '../command/command-failure.ts';
import type { CommandContext, CommandResult } from '../command/context.ts';
import { addExamples } from '../command/examples.ts';
import type { Settings } from '../settings/table.ts';

interface Options {
  ready?: true;
}

/** A probe is of no use to its caller after five seconds. */
const PATIENCE_MS = 4500;
/** The addresses that stand for all addresses of a machine, and one at which it can be asked. */
const loopback: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

function addressOf({ HOST, PORT }: Pick<Settings, 'HOST' | 'PORT'>): string {
  if (PORT === 0) throw new CommandFailure('PORT is 0, so the port of the service is not known.');
  const host = loopback[HOST] ?? HOST;
  return `http://${host.includes(':') ? `[${host}]` : host}:${PORT}`;
}

async function checkHealth(settings: Pick<Settings, 'HOST' | 'PORT'>, { ready }: Options): Promise<CommandResult> {
  const url = `${addressOf(settings)}${ready ? '/readyz' : '/healthz'}`;
  const reply = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) }).catch((error: unknown) => {
    const isLate = error instanceof Error && error.name === 'TimeoutError';
    throw new CommandFailure(isLate ? `${url} does not answer in time.` : `${url} cannot be reached.`);
  });
  const { status } = reply;
  if (status !== 200) throw new CommandFailure(`${url} answers with status ${status}.`);
  return { json: { url, status }, lines: [`${url} answers with status ${status}.`] };
}

/** Adds `authsvc health`. */
export function addHealthCommand(program: Command, context: CommandContext): void {
  const health = program
    .command('health')
    .description('ask whether the service of these settings serves; exit 0 if it does, else 1, within five seconds')
    .option('--ready', 'ask whether it can be sent requests: the database answers, and it is not stopping');
  health.action(context.bareAction(health, ({ settings }, options: Options) => checkHealth(settings, options)));
  addExamples(health, ['authsvc health', 'authsvc health --ready --json']);
}
