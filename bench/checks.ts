// Compares a session check with bare Fastify at full speed: `npx tsx bench/checks.ts`. Sends requests with 32 connections
// of `wrk` to bare Fastify and to authsvc on each database, in turn. Needs `wrk` and a build.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { startPostgres } from '../test/support/postgres.ts';
import { borrowShots, type Place, run } from './running.ts';
import { authsvc, bareFastify } from './systems.ts';
import { compareByWrk } from './wrk.ts';

const project = join(import.meta.dirname, '..');
const folder = await mkdtemp(join(tmpdir(), 'authsvc-checks-'));
const postgres = await startPostgres();
const place: Place = { folder, postgresUrl: postgres.url };
try {
  for (const store of ['SQLite', 'PostgreSQL'] as const) {
    const bare = await run(bareFastify, place, 1);
    const ours = await run(authsvc('authsvc', project, store), place, 10);
    borrowShots(bare, ours);
    const costs = await compareByWrk(bare, ours, { rounds: 31, connections: 32 }).finally(() =>
      Promise.all([bare.stop(), ours.stop()]),
    );
    process.stdout.write(`${ours.title}: ${costs.other} µs, ${bare.title} ${costs.one} µs; in pairs ${costs.ratio}\n`);
  }
} finally {
  await postgres.stop();
  await rm(folder, { recursive: true });
}
