import { expect, test, vi } from 'vitest';
import { PASSWORD, startService } from '../lifecycle/support.ts';
import { freshDatabase } from '../support/each-database.ts';
import { addUsers, feedAlive, placeAt, query } from './support.ts';

vi.setConfig({ testTimeout: 180_000 });

const SIGN_INS = 16;

test('if the database allows fewer connections than the pool may open, every sign-in waits for a free connection', async (t) => {
  const fresh = await freshDatabase('postgres');
  t.onTestFinished(fresh.drop);
  const place = await placeAt(t, fresh.url, { DATABASE_POOL_MAX: '10', RATE_LIMITS: 'login=1000/60s' });
  await addUsers(t, place);
  const name = `few_${new URL(fresh.url).pathname.slice(1)}`;
  await query(fresh.url, `create role ${name} login password 'few' connection limit 4`);
  await query(
    fresh.url,
    `grant all on all tables in schema public to ${name}; grant all on all sequences in schema public to ${name}`,
  );
  const url = new URL(fresh.url);
  [url.username, url.password] = [name, 'few'];
  const service = await startService(t, { ...place, url: url.href });
  await feedAlive(service);

  const replies = await Promise.all(
    Array.from({ length: SIGN_INS }, (_none, i) =>
      service.client().login({ username: ['ada', 'bea', 'cleo'][i % 3] ?? '', password: PASSWORD }),
    ),
  );
  await service.stop();
  await query(fresh.url, `drop owned by ${name}; drop role ${name}`);

  expect(replies.map(({ status }) => status).filter((status) => status !== 200)).toEqual([]);
  const told = service.stdout().match(/the database accepts fewer connections than DATABASE_POOL_MAX=10/g);
  expect(told).toHaveLength(1);
  expect(service.stdout()).toContain('The database allows 4 connections, and the service may open 11.');
});
