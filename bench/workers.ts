// What is the gain of a second processor? `npx tsx bench/workers.ts`: one process and two workers in turn, each asked
// for a session as fast as it can answer. Needs `wrk`, whose requests cost so little processor time that the servers
// have the two processors nearly to themselves; the load generator of the other benchmarks needs one of them.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { startPostgres } from '../test/support/postgres.ts';
import { median } from './load.ts';
import { type Place, type Running, run } from './running.ts';
import { authsvc, twoWorkers } from './systems.ts';

const execute = promisify(execFile);
const project = join(import.meta.dirname, '..');
const ROUNDS = 7;
const CONNECTIONS = 64;
const SECONDS = 4;

interface Sample {
  cpu: number;
  perSecond: number;
  processors: number;
}

/** One run of wrk with the request of the first browser. */
async function sample({ port, meter, shots }: Running): Promise<Sample> {
  const [line = '', ...lines] = (shots.check?.text(0) ?? '').trim().split('\r\n');
  const headers = lines.filter((header) => !header.startsWith('Host:')).flatMap((header) => ['-H', header]);
  const url = `http://127.0.0.1:${port}${line.split(' ')[1]}`;
  const [before, begin] = [meter(), performance.now()];
  const { stdout } = await execute('wrk', ['-t1', `-c${CONNECTIONS}`, `-d${SECONDS}s`, ...headers, url]);
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

async function compare(one: Running, two: Running): Promise<void> {
  const samples: { one: Sample; two: Sample }[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const pair = { one: await sample(one), two: await sample(two) };
    if (round > 0) samples.push(pair);
  }
  for (const name of ['one', 'two'] as const) {
    const of = (key: keyof Sample) => median(samples.map((pair) => pair[name][key]));
    const { title } = { one, two }[name];
    process.stdout.write(
      `| ${title} | ${of('cpu').toFixed(1)} | ${of('processors').toFixed(2)} | ${of('perSecond').toFixed(0)} |\n`,
    );
  }
  const gain = median(samples.map((pair) => (2 * pair.one.cpu) / pair.two.cpu));
  process.stdout.write(`two processors carry ${gain.toFixed(2)} × one\n\n`);
}

const folder = await mkdtemp(join(tmpdir(), 'authsvc-workers-'));
const postgres = await startPostgres();
const place: Place = { folder, postgresUrl: postgres.url };
try {
  process.stdout.write('| | CPU µs a request | processors | requests/s |\n| --- | ---: | ---: | ---: |\n');
  for (const store of ['SQLite', 'PostgreSQL'] as const) {
    const one = await run(authsvc('authsvc', project, store), place, 1);
    const two = await run(twoWorkers(store), place, 1);
    await compare(one, two).finally(() => Promise.all([one.stop(), two.stop()]));
  }
} finally {
  await postgres.stop();
  await rm(folder, { recursive: true });
}
