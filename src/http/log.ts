import type { FastifyBaseLogger } from 'fastify';
import pino, { type DestinationStream } from 'pino';
import pretty from 'pino-pretty';
import type { Settings } from '../settings/table.ts';

/** What an error may say in the log: nothing of the values that a query or a request carried. */
function describeError(error: unknown) {
  if (!(error instanceof Error)) return { message: String(error) };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const { name, message, stack } = error;
  const cause: unknown = error.cause;
  return { name, message, code, stack, ...(cause instanceof Error ? { cause: cause.message } : {}) };
}

const MOST_KEPT_BYTES = 8 * 1024;
/** Of lines that standard output does not take. */
const MOST_WAITING_BYTES = 256 * 1024;

/**
 * Standard output, written to once a turn of the event loop: many lines of a busy moment cost one call of the system.
 * What was logged before the process ends, however it ends of its own accord, is written.
 *
 * Needs   onLost: told how many lines there was no room for, once lines are taken again.
 * Why     a disk that is full ends no process: lines wait, as many as there is room for, and are tried again with the
 *         next ones.
 */
function standardOutput(onLost: (lines: number) => void): DestinationStream {
  const output = pino.destination({ sync: true, minLength: MOST_KEPT_BYTES, maxLength: MOST_WAITING_BYTES });
  let isWaiting = false;
  let lost = 0;
  const flush = () => {
    isWaiting = false;
    output.flush();
  };
  output.on('error', () => undefined);
  output.on('drop', () => {
    lost += 1;
  });
  output.on('drain', () => {
    const lines = lost;
    lost = 0;
    if (lines > 0) onLost(lines);
  });
  process.once('exit', flush);
  return {
    write: (line) => {
      output.write(line);
      if (!isWaiting) setImmediate(flush);
      isWaiting = true;
    },
  };
}

/** The log of the process: JSON lines on `stream`, or readable ones where standard output is a terminal. */
export function createLog(level: Settings['LOG_LEVEL'], stream?: DestinationStream): FastifyBaseLogger {
  const isTerminal = !stream && process.stdout.isTTY;
  const onLost = (lines: number) =>
    log.warn({ lines }, 'lines of the log were lost: standard output did not take them');
  const target =
    stream ?? (isTerminal ? pretty({ sync: true, singleLine: true, ignore: 'pid,hostname' }) : standardOutput(onLost));
  const log = pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
    },
    target,
  );
  return log;
}
