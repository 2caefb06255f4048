import { expect, test, vi } from 'vitest';
import { freshDatabase } from '../kit/each-database.ts';
import { type Service, startService } from '../lifecycle/kit.ts';
import { addUsers, expectPromisesKept, placeAt, startLoad } from './kit.ts';

vi.setConfig({ testTimeout: 120_000 });

test('two of three processes are killed under load: the third goes on, and every promise is kept', async (t) => {
  const fresh = await freshDatabase('postgres');
  t.onTestFinished(fresh.drop);
  const place = await placeAt(t, fresh.url);
  await addUsers(t, place);
  const services: Service[] = [];
  for (let i = 0; i < 3; i += 1) services.push(await startService(t, place));
  const load = startLoad(() => services);
  await load.atLeast(6);

  const killed = services.splice(0, 2);
  for (const service of killed) service.signal('SIGKILL');
  await Promise.all(killed.map(({ ended }) => ended));
  await load.atLeast(4);
  services.push(await startService(t, place));
  await load.atLeast(4);
  await load.stop();

  expect(load.ledger.outages).toBe(0);
  await expectPromisesKept('two of three killed', services, load.ledger);
});
