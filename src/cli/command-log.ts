import type { WriteLine } from '../events/event-log.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import type { Settings } from '../settings/table.ts';

const QUIET: readonly Settings['LOG_LEVEL'][] = ['silent', 'fatal', 'error', 'warn'];

/**
 * Writes the events of a command to standard error, in the format of the service's log. They are meant for the journal of a
 * program that runs the command. Writes nothing at a terminal or with --json, where the result already says what was done.
 */
export function commandLog(level: Settings['LOG_LEVEL'], isJson: boolean, clock: Clock = systemClock): WriteLine {
  if (isJson || process.stderr.isTTY || QUIET.includes(level)) return () => undefined;
  return (fields, message) => {
    const time = new Date(clock.now()).toISOString();
    process.stderr.write(`${JSON.stringify({ level: 'info', time, pid: process.pid, ...fields, msg: message })}\n`);
  };
}
