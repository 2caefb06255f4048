import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, test, vi } from 'vitest';
import { PASSWORD, startService } from '../lifecycle/support.ts';
import { freshDatabase } from '../support/each-database.ts';
import { addUsers, eventually, feedAlive, placeAt } from './support.ts';

vi.setConfig({ testTimeout: 180_000 });

const ASKING = 12;
const MAX_AGE_MS = 9000;

/** Lists the statements of the service that still wait for a lock, a moment after its last reply. */
async function waitingStatements(blocker: pg.Client): Promise<unknown[]> {
  const waiting = `select query from pg_stat_activity
    where datname = current_database() and application_name = 'authsvc' and wait_event_type = 'Lock'`;
  let rows: unknown[] = [];
  for (let i = 0; i < 20; i += 1) {
    await sleep(100);
    ({ rows } = await blocker.query(waiting));
    if (rows.length === 0) return [];
  }
  return rows;
}

test('while every connection waits for a lock, checks of cached sessions are answered, and every other request gets the outage error in time', async (t) => {
  const fresh = await freshDatabase('postgres');
  t.onTestFinished(fresh.drop);
  const place = await placeAt(t, fresh.url, { DATABASE_POOL_MAX: '2' });
  await addUsers(t, place);
  const service = await startService(t, place);
  await feedAlive(service);
  const client = service.client();
  await client.login({ username: 'ada', password: PASSWORD });
  for (let i = 0; i < 3; i += 1) expect(await client.isSignedIn()).toBe(true);
  const blocker = new pg.Client({ connectionString: fresh.url });
  await blocker.connect();
  t.onTestFinished(() => blocker.end());

  await blocker.query('begin; lock table sessions, users in access exclusive mode');
  const from = performance.now();
  const session_id = '00000000-0000-4000-8000-000000000000';
  const unknown = Array.from({ length: ASKING }, () =>
    service.client().post('/authsvc/api/verifySession', { session_id }),
  );
  const login = service.client().login({ username: 'bea', password: PASSWORD });
  await sleep(200);
  const known: number[] = [];
  for (let i = 0; i < 20; i += 1) {
    const asked = performance.now();
    expect(await client.isSignedIn()).toBe(true);
    known.push(performance.now() - asked);
  }
  const statuses = [...(await Promise.all(unknown)), await login].map(({ status }) => status);
  const took = performance.now() - from;
  const stillWaiting = await waitingStatements(blocker);
  await blocker.query('rollback');

  process.stderr.write(
    `pool exhausted: ${known.length} checks of a known session answered, the slowest in ${Math.round(Math.max(...known))} ms; ${statuses.length} others reported as outages within ${Math.round(took)} ms\n`,
  );
  expect(statuses.filter((status) => status !== 500 && status !== 503)).toEqual([]);
  expect(took).toBeLessThan(MAX_AGE_MS);
  expect(stillWaiting).toEqual([]);
  await eventually(async () => (await service.client().login({ username: 'bea', password: PASSWORD })).status === 200);
  expect(await client.isSignedIn()).toBe(true);
});
