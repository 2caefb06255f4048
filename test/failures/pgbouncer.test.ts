import { expect, test, vi } from 'vitest';
import { freshDatabase } from '../support/each-database.ts';
import { hasPgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { expectPromisesKept, startUnderLoad } from './support.ts';

vi.setConfig({ testTimeout: 180_000 });

test.skipIf(!hasPgBouncer)(
  'with PgBouncer in transaction mode, and a direct connection for the feed, everything works as without it',
  async (t) => {
    const fresh = await freshDatabase('postgres');
    t.onTestFinished(fresh.drop);
    const url = await startPgBouncer(t, fresh.url);
    const { services, load } = await startUnderLoad(t, url, { settings: { DATABASE_LISTEN_URL: fresh.url } });

    await load.atLeast(8);
    await load.stop();

    expect(load.ledger.outages).toBe(0);
    await expectPromisesKept('through PgBouncer', services, load.ledger);
  },
);

test.skipIf(!hasPgBouncer)('without a direct connection nothing is cached, and the log says what to set', async (t) => {
  const fresh = await freshDatabase('postgres');
  t.onTestFinished(fresh.drop);
  const url = await startPgBouncer(t, fresh.url);
  const { services, load } = await startUnderLoad(t, url, { isFed: false });

  await load.atLeast(4);
  await load.stop();

  for (const service of services) {
    expect(service.stdout().match(/the change feed is lost/g)).toHaveLength(1);
    expect(service.stdout()).toContain('set DATABASE_LISTEN_URL to a direct one');
    expect(service.stdout()).not.toContain('the change feed is alive');
  }
  await expectPromisesKept('through PgBouncer alone', services, load.ledger);
});
