import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { median, quantile } from './load.ts';
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

/**
 * Compares the processor time per request of two systems in many short rounds, because the speed of a busy machine
 * changes from second to second.
 *
 * @returns the medians of both in microseconds, and the median and the quartiles of the ratios within each round
 */
export async function compareByWrk(
  one: Running,
  other: Running,
  { rounds, connections }: { rounds: number; connections: number },
): Promise<{ one: string; other: string; ratio: string }> {
  const pairs: { one: number; other: number }[] = [];
  for (let round = -2; round < rounds; round += 1) {
    const costs = new Map<Running, number>();
    for (const system of round % 2 === 0 ? [one, other] : [other, one])
      costs.set(system, (await askByWrk(system, { connections, seconds: 1 })).cpu);
    if (round >= 0) pairs.push({ one: costs.get(one) ?? 0, other: costs.get(other) ?? 0 });
  }
  const ratios = pairs.map((pair) => pair.other / pair.one).sort((left, right) => left - right);
  const [low, high] = [quantile(ratios, 0.25), quantile(ratios, 0.75)].map((ratio) => ratio.toFixed(3));
  return {
    one: median(pairs.map((pair) => pair.one)).toFixed(1),
    other: median(pairs.map((pair) => pair.other)).toFixed(1),
    ratio: `${median(ratios).toFixed(3)} × (quartiles ${low} and ${high})`,
  };
}
