import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { freshDatabase } from '../support/each-database.ts';
import { startPostgres } from '../support/postgres.ts';
import { expectPromisesKept, feedAlive, query, startUnderLoad } from './support.ts';

vi.setConfig({ testTimeout: 180_000 });

test('PostgreSQL restarts twice under load: acknowledged changes stay, and requests during the outage get the outage error', async (t) => {
  const server = await startPostgres();
  t.onTestFinished(() => server.stop());
  const { services, load } = await startUnderLoad(t, server.url);
  await load.atLeast(3);

  await server.halt();
  await sleep(2000);
  await server.resume();
  await load.atLeast(3);
  await Promise.all(services.map((service) => feedAlive(service, 2)));
  await server.crash();
  await sleep(1000);
  await server.resume();
  await load.atLeast(3);
  await load.stop();

  await Promise.all(services.map((service) => feedAlive(service, 3)));
  expect(load.ledger.outages).toBeGreaterThan(0);
  expect(services.every((service) => service.isRunning())).toBe(true);
  await expectPromisesKept('restarted under load', services, load.ledger);
});

test('every connection is cut repeatedly under load: nothing is lost, and the feeds start again', async (t) => {
  const fresh = await freshDatabase('postgres');
  t.onTestFinished(fresh.drop);
  const { services, load } = await startUnderLoad(t, fresh.url);
  let cut = 0;

  for (let round = 0; round < 5; round += 1) {
    await load.atLeast(2);
    const others = 'pid <> pg_backend_pid() and datname = current_database()';
    cut += (await query(fresh.url, `select pg_terminate_backend(pid) from pg_stat_activity where ${others}`)).length;
  }
  await load.atLeast(3);
  await load.stop();

  expect(cut).toBeGreaterThanOrEqual(10);
  process.stderr.write(`connections cut by the server: ${cut}\n`);
  await Promise.all(services.map((service) => feedAlive(service, 2)));
  await expectPromisesKept('connections cut', services, load.ledger);
});
