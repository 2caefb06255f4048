// Measures what the metrics cost: `npx tsx bench/metrics.ts`. Sends session checks to a service with METRICS_PORT and
// to a service without METRICS_PORT, in turn. The rounds are many and short, because the speed of a busy machine
// changes from second to second. Needs `wrk`.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { median, quantile } from './load.ts';
import { run } from './running.ts';
import { authsvc } from './systems.ts';
import { askByWrk } from './wrk.ts';

const ROUNDS = Number(process.env.ROUNDS ?? 60);
const LOAD = { connections: 32, seconds: 1 };

const folder = await mkdtemp(join(tmpdir(), 'authsvc-metrics-'));
const system = authsvc('authsvc', join(import.meta.dirname, '..'), 'SQLite');
const place = { folder, postgresUrl: '' };
const off = await run(system, place, 1);
const on = await run({ ...system, env: { ...system.env, METRICS_PORT: '0' } }, place, 1);
try {
  const pairs: { off: number; on: number }[] = [];
  for (let round = -2; round < ROUNDS; round += 1) {
    const order = round % 2 === 0 ? ([off, on] as const) : ([on, off] as const);
    const costs = new Map<unknown, number>();
    for (const one of order) costs.set(one, (await askByWrk(one, LOAD)).cpu);
    if (round >= 0) pairs.push({ off: costs.get(off) ?? 0, on: costs.get(on) ?? 0 });
  }
  const ratios = pairs.map((pair) => pair.on / pair.off).sort((one, other) => one - other);
  const of = (key: 'off' | 'on') => median(pairs.map((pair) => pair[key])).toFixed(1);
  process.stdout.write(
    `CPU µs a check: ${of('off')} without, ${of('on')} with metrics; in pairs ${median(ratios).toFixed(3)} × (quartiles ${quantile(ratios, 0.25).toFixed(3)} and ${quantile(ratios, 0.75).toFixed(3)})\n`,
  );
} finally {
  await on.stop();
  await off.stop();
  await rm(folder, { recursive: true });
}
