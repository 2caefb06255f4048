// Checks whether memory use stays constant: `npx tsx bench/soak.ts --minutes 10 --store SQLite`. Sends session checks,
// logins and page requests at a steady pace that uses about half a processor. Reads memory and open files every minute,
// and the handles of the process before and after.
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startPostgres } from '../test/support/postgres.ts';
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
/** After this time without requests, a process has closed everything that it opens only for requests. */
const REST_MS = 15_000;

const openFiles = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;
const mean = (row: readonly number[]): number => row.reduce((sum, value) => sum + value, 0) / row.length;

/** Counts timers, sockets and other handles of the process by kind, from the process's own diagnostic report. */
async function handlesOf(pid: number, folder: string): Promise<string> {
  await wait(REST_MS);
  const isReport = (name: string) => name.startsWith('report.');
  const before = readdirSync(folder).filter(isReport).length;
  process.kill(pid, 'SIGWINCH');
  while (readdirSync(folder).filter(isReport).length === before) await wait(100);
  await wait(1000);
  const newest = readdirSync(folder).filter(isReport).sort().at(-1) ?? '';
  const report: { libuv: { type: string }[] } = JSON.parse(readFileSync(join(folder, newest), 'utf8'));
  const counts = new Map<string, number>();
  for (const { type } of report.libuv) counts.set(type, (counts.get(type) ?? 0) + 1);
  return [...counts].map(([type, count]) => `${count} ${type}`).join(', ');
}

/** Returns the least-squares slope of evenly spaced values, per step. */
function slope(row: readonly number[]): number {
  const middle = (row.length - 1) / 2;
  const average = mean(row);
  const above = row.reduce((sum, value, index) => sum + (index - middle) * (value - average), 0);
  return above / row.reduce((sum, _, index) => sum + (index - middle) ** 2, 0);
}

/** A request for the login page. Each comes from another client address, because its rate limit counts by address. */
const page: Shot = {
  text: (number) =>
    `GET /authsvc/login HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-For: 10.9.${(number >> 8) & 255}.${number & 255}\r\n\r\n`,
  expect: '<html',
};

const folder = await mkdtemp(join(tmpdir(), 'authsvc-soak-'));
const postgres = store === 'PostgreSQL' ? await startPostgres() : undefined;
const system = authsvc('authsvc', project, store);
const options = ['--report-on-signal', '--report-signal=SIGWINCH', `--report-directory=${folder}`];
const place = { folder, postgresUrl: postgres?.url ?? '' };
const running = await run({ ...system, args: [...options, ...system.args] }, place, 10);
try {
  const { port, pid, meter, shots } = running;
  const { check, verify, token, login } = shots;
  if (!check || !verify || !token || !login) throw new Error('a request is missing');
  process.stdout.write(`before: ${await handlesOf(pid, folder)}\n\n`);
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
    process.stdout.write(`| ${[...facts, memory.at(-1)?.toFixed(1), openFiles(pid)].join(' | ')} |\n`);
  }
  const third = Math.ceil(minutes / 3);
  const [first, last] = [memory.slice(0, third), memory.slice(-third)].map((row) => mean(row).toFixed(1));
  process.stdout.write(`\nmemory in the first third ${first} MB, in the last third ${last} MB\n`);
  process.stdout.write(`afterwards: ${await handlesOf(pid, folder)}\n`);
  const later = memory.slice(Math.floor(memory.length / 2));
  process.stdout.write(`\nmemory over the second half: ${slope(later).toFixed(2)} MB a minute\n`);
} finally {
  await running.stop();
  await postgres?.stop();
  await rm(folder, { recursive: true, force: true });
}
