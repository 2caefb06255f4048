import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { startService } from '../lifecycle/support.ts';
import { replicatedPostgres } from './replicated-postgres.ts';
import { addUsers, eventually, expectPromisesKept, feedAlive, placeAt, query, startUnderLoad } from './support.ts';

vi.setConfig({ testTimeout: 180_000 });

test('the primary is killed under load and its follower promoted: the services switch over, and nothing is lost', async (t) => {
  const { url, primary, follower } = await replicatedPostgres(t);
  const { services, load } = await startUnderLoad(t, url);
  await load.atLeast(8);

  await primary.crash();
  await sleep(1500);
  await query(follower.url, 'select pg_promote(true, 30)');
  const promoted = performance.now();
  await load.atLeast(1);
  process.stderr.write(`the first sign-in came ${Math.round(performance.now() - promoted)} ms after the promotion\n`);
  await load.atLeast(8);
  await load.stop();

  await Promise.all(services.map((service) => feedAlive(service, 2)));
  expect(load.ledger.outages).toBeGreaterThan(0);
  await expectPromisesKept('failed over', services, load.ledger);
});

test('a service that starts finds the server that accepts writes, whatever its place in the list', async (t) => {
  const { url, follower } = await replicatedPostgres(t);
  const place = await placeAt(t, url);
  await addUsers(t, place);
  const { hostname, port } = new URL(follower.url);
  const [first, rest] = [`${hostname}:${port}`, url.replace(`,${hostname}:${port}`, '')];
  const backwards = rest.replace(/@([^/]*)\//, `@${first},$1/`);

  const service = await startService(t, { ...place, url: backwards });
  const client = service.client();

  await feedAlive(service);
  await eventually(async () => (await client.login({ username: 'ada', password: 'right-horse-7' })).status === 200);
  expect(await client.isSignedIn()).toBe(true);
});
