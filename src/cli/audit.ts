import { userInfo } from 'node:os';
import type { Changed } from '../command/context.ts';
import { operatorName } from '../settings/person.ts';
import type { Settings } from '../settings/table.ts';

const QUIET: readonly Settings['LOG_LEVEL'][] = ['silent', 'fatal', 'error', 'warn'];

interface CommandAudit {
  level: Settings['LOG_LEVEL'];
  now: number;
  /** The words that named the command, such as `user set`. */
  command: string;
  changed: Changed;
}

/**
 * Writes what a command changed, and who ran it, as one line of the audit trail on stderr, in the form of the service's
 * log: for the journal of whatever ran the command. A person at a terminal sees the result, and no such line.
 */
export function auditCommand({ level, now, command, changed }: CommandAudit): void {
  if (process.stderr.isTTY || QUIET.includes(level)) return;
  const line = {
    level: 'info',
    time: new Date(now).toISOString(),
    pid: process.pid,
    audit: 'command',
    command,
    operator: operatorName(() => userInfo().username),
    ...changed,
    msg: 'audit: command',
  };
  process.stderr.write(`${JSON.stringify(line)}\n`);
}
