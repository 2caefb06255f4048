// Does memory stay flat? `npx tsx bench/soak.ts --minutes 10 --store SQLite`: session checks, logins and pages at a
// steady pace of about half a processor, with a look at memory, handles and sessions each minute.
import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { startPostgres } from '../test/kit/postgres.ts';
import { load, quantile, type Shot } from './load.ts';
import { residentMegabytes } from './processes.ts';
import { run } from './running.ts';
import { authsvc, type Store } from './systems.ts';

const project = join(import.meta.dirname, '..');
const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, store: { type: 'string', default: 'SQLite' } },
});
const store: Store = values.store === 'PostgreSQL' ? 'PostgreSQL' : 'SQLite';
const minutes = Number(values.minutes);

const handles = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

/** The least-squares slope of a row of values one unit apart. */
function slope(row: readonly number[]): number {
  const middle = (row.length - 1) / 2;
  const mean = row.reduce((sum, value) => sum + value, 0) / row.length;
  const above = row.reduce((sum, value, index) => sum + (index - middle) * (value - mean), 0);
  return above / row.reduce((sum, _, index) => sum + (index - middle) ** 2, 0);
}

/** The login page, for another client each time: its limit counts by address. */
const page: Shot = {
  text: (number) =>
    `GET /authsvc/login HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-For: 10.9.${(number >> 8) & 255}.${number & 255}\r\n\r\n`,
  expect: '<html',
};

const folder = await mkdtemp(join(tmpdir(), 'authsvc-soak-'));
const postgres = store === 'PostgreSQL' ? await startPostgres() : undefined;
const running = await run(authsvc('authsvc', project, store), { folder, postgresUrl: postgres?.url ?? '' }, 10);
try {
  const { port, pid, meter, shots } = running;
  const { check, verify, token, login } = shots;
  if (!check || !verify || !token || !login) throw new Error('a request is missing');
  process.stdout.write('| minute | requests/s | CPU | p99 of checks ms | memory MB | open files |\n');
  const memory: number[] = [];
  for (let minute = 1; minute <= minutes; minute += 1) {
    const end = performance.now() + 60_000;
    const goesOn = () => performance.now() < end;
    const before = meter();
    const outcomes = await Promise.all([
      load({ port, shot: check, connections: 12, goesOn, pauseMs: 10 }),
      load({ port, shot: verify, connections: 8, goesOn, pauseMs: 10 }),
      load({ port, shot: token, connections: 4, goesOn, pauseMs: 10 }),
      load({ port, shot: login, connections: 1, goesOn, pauseMs: 100 }),
      load({ port, shot: page, connections: 1, goesOn, pauseMs: 50 }),
    ]);
    const count = outcomes.reduce((sum, one) => sum + one.count, 0);
    memory.push(residentMegabytes(pid));
    const p99 = quantile(outcomes[0].latencies, 0.99);
    const facts = [minute, (count / 60).toFixed(0), `${((meter() - before) / 600_000).toFixed(0)} %`, p99.toFixed(1)];
    process.stdout.write(`| ${[...facts, memory.at(-1)?.toFixed(1), handles(pid)].join(' | ')} |\n`);
  }
  const later = memory.slice(Math.floor(memory.length / 2));
  process.stdout.write(`\nmemory over the second half: ${slope(later).toFixed(2)} MB a minute\n`);
} finally {
  await running.stop();
  await postgres?.stop();
  await rm(folder, { recursive: true, force: true });
}
