// Measures the gain of a second processor: `npx tsx bench/workers.ts`. Compares a service with one process and a
// service with two workers, in turn. Each gets session checks as fast as it can reply. Needs `wrk`. Its requests use so
// little processor time that the service has nearly both processors. The load generator of the other benchmarks would
// use one processor.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { startPostgres } from '../test/support/postgres.ts';
import { median } from './load.ts';
import { type Place, type Running, run } from './running.ts';
import { authsvc, twoWorkers } from './systems.ts';
import { askByWrk, type Sample } from './wrk.ts';

const project = join(import.meta.dirname, '..');
const ROUNDS = 7;
const LOAD = { connections: 64, seconds: 4 };

async function compare(one: Running, two: Running): Promise<void> {
  const samples: { one: Sample; two: Sample }[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const pair = { one: await askByWrk(one, LOAD), two: await askByWrk(two, LOAD) };
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
