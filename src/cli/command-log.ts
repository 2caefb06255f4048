import type { WriteLine } from '../events/event-log.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import type { Settings } from '../settings/table.ts';

const QUIET: readonly Settings['LOG_LEVEL'][] = ['silent', 'fatal', 'error', 'warn'];

/**
 * Writes the events of a command to standard error, in the form of the service's log, for the journal of the program
 * that runs the command. At a terminal and with --json it writes none, because the result says what was done.
 */
export function commandLog(level: Settings['LOG_LEVEL'], isJson: boolean, clock: Clock = systemClock): WriteLine {
  if (isJson || process.stderr.isTTY || QUIET.includes(level)) return () => undefined;
  return (fields, message) => {
    const time = new Date(clock.now()).toISOString();
    process.stderr.write(`${JSON.stringify({ level: 'info', time, pid: process.pid, ...fields, msg: message })}\n`);
  };
}
