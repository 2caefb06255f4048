import process from 'node:process';
import type { Command } from 'commander';
import type { CommandContext, CommandResult } from '../command/context.ts';
import { addExamples } from '../command/examples.ts';
import { REFUSED } from '../command/refusal-words.ts';
import { textLine } from '../command/table.ts';
import { systemClock } from '../lib/clock.ts';
import type { Settings } from '../settings/table.ts';

/** How long the process may still run after the report, for example to close a connection. */
const END_WITHIN_MS = 500;
const STATUS_WIDTH = 'warning'.length;
const NAME_WIDTH = 'change-feed'.length;

interface Parts {
  /** Throws a SettingsError if the service would not start with the templates and pictures that the settings name. */
  checkTheme(settings: Settings): Promise<void>;
}

async function runDoctor({ checkTheme }: Parts): Promise<CommandResult> {
  const { examine } = await import('./examine.ts');
  const checks = await examine({ clock: systemClock, node: process.versions.node, checkTheme });
  const ok = checks.every(({ status }) => status !== 'failed');
  // A server or name server that does not answer could otherwise keep the process alive.
  setTimeout(() => process.exit(), END_WITHIN_MS).unref();
  return {
    json: { ok, checks: checks.map(({ name, status, message, hint }) => ({ name, status, message, hint })) },
    lines: checks.map(({ name, status, message, hint }) =>
      textLine([status.padEnd(STATUS_WIDTH), name.padEnd(NAME_WIDTH), [message, hint].filter(Boolean).join(' ')]),
    ),
    exitCode: ok ? 0 : REFUSED,
  };
}

/** Adds the `authsvc doctor` command. */
export function addDoctorCommand(program: Command, context: CommandContext, parts: Parts): void {
  const doctor = program
    .command('doctor')
    .description(
      'check settings, files, database, proxy, providers and mail, and say what is wrong and what to do; exit code 1 if a check failed',
    );
  doctor.action(context.plainAction(doctor, () => runDoctor(parts)));
  addExamples(doctor, ['authsvc doctor', 'authsvc doctor --json']);
}
