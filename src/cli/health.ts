import type { Command } from 'commander';
import { CommandFailure } from '../command/command-failure.ts';
import type { CommandContext, CommandResult, CommandServices } from '../command/context.ts';
import { addExamples } from '../command/examples.ts';
import { REFUSED } from '../command/refusal-words.ts';
import type { Settings } from '../settings/table.ts';

interface Options {
  ready?: true;
}

type Parts = Pick<CommandServices, 'settings' | 'warn'>;

/** Time limit of a probe. The documented limit is five seconds. */
const PATIENCE_MS = 4500;
/** For each HOST that means "all addresses of this machine": the loopback address at which to reach the service. */
const loopback: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

function addressOf({ HOST, PORT }: Pick<Settings, 'HOST' | 'PORT'>): string {
  if (PORT === 0) throw new CommandFailure('PORT is 0, so the port of the service is not known.');
  const host = loopback[HOST] ?? HOST;
  return `http://${host.includes(':') ? `[${host}]` : host}:${PORT}`;
}

/** Returns the status code of the reply, or a text that says why there is no reply. */
async function statusOf(url: string): Promise<number | string> {
  try {
    return (await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(PATIENCE_MS) })).status;
  } catch (error) {
    const isLate = error instanceof Error && error.name === 'TimeoutError';
    return isLate ? 'does not answer in time' : 'cannot be reached';
  }
}

async function checkHealth({ settings, warn }: Parts, { ready }: Options): Promise<CommandResult> {
  const url = `${addressOf(settings)}${ready ? '/readyz' : '/healthz'}`;
  const found = await statusOf(url);
  const status = typeof found === 'number' ? found : null;
  const words = `${url} ${status === null ? found : `answers with status ${status}`}.`;
  if (status === 200) return { json: { url, status }, lines: [words] };
  warn(words);
  return { json: { url, status }, lines: [], exitCode: REFUSED };
}

/** Adds the `authsvc health` command. */
export function addHealthCommand(program: Command, context: CommandContext): void {
  const health = program
    .command('health')
    .description(
      'check whether the service that these settings describe is running; exit code 0 if it is, else 1, within five seconds',
    )
    .option(
      '--ready',
      'check whether the service can take requests: the database answers, and the service is not stopping',
    );
  health.action(context.bareAction(health, checkHealth));
  addExamples(health, ['authsvc health', 'authsvc health --ready --json']);
}
