// Compares a session check with bare Fastify at full speed: `npx tsx bench/checks.ts`. Sends requests with 32 connections
// of `wrk` to bare Fastify and to authsvc on each database, in turn. The rounds are many and short, because the speed of
// a busy machine changes from second to second.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { startPostgres } from '../test/support/postgres.ts';
import { median, quantile } from './load.ts';
import { borrowShots, type Place, type Running, run } from './running.ts';
import { authsvc, bareFastify } from './systems.ts';
import { askByWrk } from './wrk.ts';

const project = join(import.meta.dirname, '..');
const ROUNDS = 31;
const LOAD = { connections: 32, seconds: 1 };

/** Compares two systems. Other processes must not compete for the processors, so only these two run. */
async function compare(bare: Running, ours: Running): Promise<void> {
  const pairs: { bare: number; ours: number }[] = [];
  for (let round = -2; round < ROUNDS; round += 1) {
    const costs = new Map<Running, number>();
    for (const one of round % 2 === 0 ? [bare, ours] : [ours, bare]) costs.set(one, (await askByWrk(one, LOAD)).cpu);
    if (round >= 0) pairs.push({ bare: costs.get(bare) ?? 0, ours: costs.get(ours) ?? 0 });
  }
  const ratios = pairs.map((pair) => pair.ours / pair.bare).sort((one, other) => one - other);
  const of = (key: 'bare' | 'ours') => median(pairs.map((pair) => pair[key])).toFixed(1);
  process.stdout.write(
    `${ours.title}: ${of('ours')} µs, ${bare.title} ${of('bare')} µs; in pairs ${median(ratios).toFixed(2)} × (quartiles ${quantile(ratios, 0.25).toFixed(2)} and ${quantile(ratios, 0.75).toFixed(2)})\n`,
  );
}

const folder = await mkdtemp(join(tmpdir(), 'authsvc-checks-'));
const postgres = await startPostgres();
const place: Place = { folder, postgresUrl: postgres.url };
try {
  for (const store of ['SQLite', 'PostgreSQL'] as const) {
    const bare = await run(bareFastify, place, 1);
    const ours = await run(authsvc('authsvc', project, store), place, 10);
    borrowShots(bare, ours);
    await compare(bare, ours).finally(() => Promise.all([bare.stop(), ours.stop()]));
  }
} finally {
  await postgres.stop();
  await rm(folder, { recursive: true });
}
