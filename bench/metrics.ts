// Measures what the metrics cost: `npx tsx bench/metrics.ts`. Sends session checks to a service with METRICS_PORT and
// to a service without METRICS_PORT, in turn. Needs `wrk`.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { run } from './running.ts';
import { authsvc } from './systems.ts';
import { compareByWrk } from './wrk.ts';

const ROUNDS = Number(process.env.ROUNDS ?? 60);

const folder = await mkdtemp(join(tmpdir(), 'authsvc-metrics-'));
const system = authsvc('authsvc', join(import.meta.dirname, '..'), 'SQLite');
const place = { folder, postgresUrl: '' };
const off = await run(system, place, 1);
const on = await run({ ...system, env: { ...system.env, METRICS_PORT: '0' } }, place, 1);
try {
  const costs = await compareByWrk(off, on, { rounds: ROUNDS, connections: 32 });
  process.stdout.write(`CPU µs a check: ${costs.one} without, ${costs.other} with metrics; in pairs ${costs.ratio}\n`);
} finally {
  await on.stop();
  await off.stop();
  await rm(folder, { recursive: true });
}
