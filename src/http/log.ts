import pino, { type DestinationStream, type Logger } from 'pino';
import { isNamedFailure } from '../db/named-failure.ts';
import { steadyClock, systemClock } from '../lib/clock.ts';
import type { Settings } from '../settings/table.ts';

/**
 * Converts an error for the log. The result names the failed query and its callers, but contains no values of a
 * query or a request.
 */
function describeError(error: unknown) {
  if (!(error instanceof Error)) return { message: String(error) };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const { name, message, cause } = error;
  const failed = [error, cause].find(isNamedFailure);
  const stack = failed === error ? `${name}: ${message}\n${failed.callers}` : error.stack;
  return {
    name,
    message,
    code,
    ...(failed ? { query: failed.query } : {}),
    stack,
    ...(cause instanceof Error ? { cause: cause.message } : {}),
  };
}

/** How much time passes at least between two writes, so that one system call writes many lines. */
const GATHER_MS = 10;
/**
 * How many bytes are written at once. Several workers can share a pipe, and only a write of at most this size (PIPE_BUF)
 * never mixes with the lines of another process.
 */
const MAX_WRITE_BYTES = 4096;
/** The library writes by itself if it holds more than this, so it usually writes only when it is told to. */
const MAX_KEPT_BYTES = 2 * MAX_WRITE_BYTES;
/** Size of the buffer for lines that standard output does not accept yet. */
const MAX_WAITING_BYTES = 256 * 1024;

const countLines = (text: string): number => text.split('\n').length - 1;

function lossLine(lines: number): string {
  const time = new Date(systemClock.now()).toISOString();
  const msg = 'lines of the log were lost: standard output did not take them';
  return `${JSON.stringify({ level: 'warn', time, pid: process.pid, lines, msg })}\n`;
}

/**
 * Creates the stream to standard output. After a quiet time, it writes a line at the end of the turn of the event loop.
 * The lines of the next ten milliseconds are written together, so that many lines cost one system call. When the process
 * exits, the remaining lines are written. If the process is killed, they are lost.
 *
 * A full disk must not end the process. Lines that cannot be written wait in a bounded buffer and are written
 * together with later lines. A further line then says how many lines were lost. If standard output is a pipe that is full,
 * the process waits until its reader continues.
 */
function standardOutput(): DestinationStream {
  const output = pino.destination({ sync: true, minLength: MAX_KEPT_BYTES, maxLength: MAX_WAITING_BYTES });
  let gathered = '';
  let bytes = 0;
  let isScheduled = false;
  let hasFailed = false;
  let flushedAt = Number.NEGATIVE_INFINITY;
  let lost = 0;
  const flush = () => {
    // The lines that standard output did not accept before come first, so that there is room for the new ones.
    if (hasFailed) output.flush();
    hasFailed = false;
    output.write(gathered);
    gathered = '';
    bytes = 0;
    output.flush();
  };
  const flushOnTime = () => {
    isScheduled = false;
    flushedAt = steadyClock.now();
    flush();
  };
  output.on('error', () => {
    hasFailed = true;
  });
  output.on('drop', (lines: string) => {
    lost += countLines(lines);
  });
  output.on('drain', () => {
    const lines = lost;
    lost = 0;
    if (lines > 0) output.write(lossLine(lines));
  });
  process.once('exit', flush);
  return {
    write: (line) => {
      const size = Buffer.byteLength(line);
      if (bytes > 0 && bytes + size > MAX_WRITE_BYTES) flush();
      // At each write, the library measures all the text that it holds, so it gets many lines at once.
      gathered += line;
      bytes += size;
      if (isScheduled) return;
      isScheduled = true;
      if (steadyClock.now() - flushedAt >= GATHER_MS) setImmediate(flushOnTime);
      else setTimeout(flushOnTime, GATHER_MS).unref();
    },
  };
}

/**
 * Returns the destination of the log: JSON lines on standard output, or readable lines if standard output is a
 * terminal.
 */
export async function logOutput(): Promise<DestinationStream> {
  if (!process.stdout.isTTY) return standardOutput();
  const { default: pretty } = await import('pino-pretty');
  return pretty({ sync: true, singleLine: true, ignore: 'pid,hostname' });
}

/**
 * Creates the function that returns the time of a line, as pino expects it. Lines of the same millisecond share one
 * text, because formatting a time costs as much as the rest of a line.
 */
function createTimestamp(): () => string {
  let at = 0;
  let text = '';
  return () => {
    const now = systemClock.now();
    if (now !== at) text = `,"time":"${new Date(now).toISOString()}"`;
    at = now;
    return text;
  };
}

/** Creates the logger of the process. */
export function createLog(level: Settings['LOG_LEVEL'], output: DestinationStream): Logger {
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: createTimestamp(),
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
    },
    output,
  );
}

/** The fields of the line about a request that was answered. */
export interface RequestLine {
  request_id: string;
  method: string;
  /** The path pattern of the route. */
  route: string;
  status: number;
  /** The duration in milliseconds. */
  ms: number;
  address: string;
  trace_id?: string;
}

export type LogRequest = (line: RequestLine) => void;

/**
 * Creates the function that logs answered requests. Its lines are the same as those of pino, which needs three times as
 * long for one. Most requests do little besides, so this time matters.
 *
 * @param log the logger whose level and common fields the lines have
 * @param output the output of the logger
 */
export function createRequestLog(log: Logger, output: DestinationStream): LogRequest {
  const timestamp = createTimestamp();
  const common = JSON.stringify({ pid: process.pid, ...log.bindings() }).slice(1, -1);
  return ({ request_id: id, method, route, status, ms, address, trace_id: trace }) => {
    if (!log.isLevelEnabled('info')) return;
    // Only an address can contain characters that JSON must escape.
    const facts = `"request_id":"${id}","method":"${method}","route":"${route}","status":${status},"ms":${ms}`;
    const rest = `"address":${JSON.stringify(address)}${trace === undefined ? '' : `,"trace_id":"${trace}"`}`;
    output.write(`{"level":"info"${timestamp()},${common},${facts},${rest},"msg":"request"}\n`);
  };
}
