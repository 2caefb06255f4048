import { expect, test, vi } from 'vitest';
import { startService } from '../lifecycle/support.ts';
import { freshDatabase } from '../support/each-database.ts';
import { expectPromisesKept, startUnderLoad } from './support.ts';

vi.setConfig({ testTimeout: 180_000 });

test('two of three processes are killed under load: the third continues, and no acknowledged change is lost', async (t) => {
  const fresh = await freshDatabase('postgres');
  t.onTestFinished(fresh.drop);
  const { place, services, load } = await startUnderLoad(t, fresh.url, { count: 3 });
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
