import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Running } from './running.ts';

const execute = promisify(execFile);

/** The result of one run of wrk against a system. */
export interface Sample {
  /** Processor time per request, in microseconds. */
  cpu: number;
  perSecond: number;
  processors: number;
}

/**
 * Sends session checks of the first browser to a system, as fast as the system can reply. The requests of `wrk` use so
 * little processor time that the system has nearly both processors.
 */
export async function askByWrk(
  { port, meter, shots }: Running,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<Sample> {
  const [line = '', ...lines] = (shots.check?.text(0) ?? '').trim().split('\r\n');
  const headers = lines.filter((header) => !header.startsWith('Host:')).flatMap((header) => ['-H', header]);
  const url = `http://127.0.0.1:${port}${line.split(' ')[1]}`;
  const [before, begin] = [meter(), performance.now()];
  const { stdout } = await execute('wrk', ['-t1', `-c${connections}`, `-d${seconds}s`, ...headers, url]);
  const [cpu, milliseconds] = [meter() - before, performance.now() - begin];
  const [, count] = /(\d+) requests in/.exec(stdout) ?? [];
  if (!count || stdout.includes('Non-2xx')) throw new Error(`wrk did not get its answers:\n${stdout}`);
  const requests = Number(count);
  return {
    cpu: cpu / requests,
    perSecond: requests / (milliseconds / 1000),
    processors: cpu / 1000 / milliseconds,
  };
}
