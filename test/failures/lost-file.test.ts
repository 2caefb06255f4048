import { rename, rm } from 'node:fs/promises';
import { expect, test, vi } from 'vitest';
import { openDatabase } from '../../src/db/open.ts';
import { addUser, PASSWORD, type Service, startService } from '../lifecycle/support.ts';
import { freshDatabase } from '../support/each-database.ts';
import { addUsers, eventually, placeAt } from './support.ts';

vi.setConfig({ testTimeout: 120_000 });

const WAIT_FOR_LOCK_MS = 5000;

/** Starts a service on an SQLite file, with a browser that is signed in. */
async function signedIn(t: Parameters<typeof startService>[0]) {
  const fresh = await freshDatabase('sqlite');
  t.onTestFinished(fresh.drop);
  const place = await placeAt(t, fresh.url);
  await addUsers(t, place);
  const service = await startService(t, place);
  const client = service.client();
  expect((await client.login({ username: 'ada', password: PASSWORD })).status).toBe(200);
  return { service, client, place, file: fresh.url.replace('sqlite:', '') };
}

async function expectOutage(service: Service): Promise<void> {
  const login = await service.client().login({ username: 'bea', password: PASSWORD });
  expect([login.status, login.body.code, login.headers['retry-after']]).toEqual([503, 'OVERLOADED', '5']);
  const readiness = await service.client().get('/readyz');
  expect([readiness.status, readiness.body]).toEqual([
    503,
    { status: 'unavailable', dependencies: { database: 'unavailable' } },
  ]);
  expect((await service.client().get('/healthz')).status).toBe(200);
}

test('after the SQLite file is deleted no sign-in is acknowledged, and /readyz reports it', async (t) => {
  const { service, file } = await signedIn(t);
  expect((await service.client().get('/readyz')).status).toBe(200);

  await rm(file);

  await expectOutage(service);
  expect(service.stdout()).toContain('was deleted or replaced while it was in use; restart the service');
});

test('after another file replaces the SQLite file, nothing is written to either file until the service starts again', async (t) => {
  const { service, place, file } = await signedIn(t);
  const other = await placeAt(t, `${place.url}-other`);
  await addUsers(t, other);
  await addUser(t, other, 'zoe');

  await rename(`${file}-other`, file);
  await expectOutage(service);
  await service.stop();
  for (const part of ['-wal', '-shm']) await rm(`${file}${part}`, { force: true });
  const again = await startService(t, place);

  expect((await again.client().login({ username: 'zoe', password: PASSWORD })).status).toBe(200);
});

test(
  'while another program locks the SQLite file, writes are reported as an outage, and reads work; afterwards /readyz recovers by itself',
  async (t) => {
    const { service, client, place } = await signedIn(t);
    const other = await openDatabase(place.url, { max: 1, isPatient: true, onTrouble: () => undefined });
    t.onTestFinished(() => other.close());

    let release = (): void => undefined;
    const locked = other.transaction(async (tx) => {
      await tx.sql`update users set full_name = full_name`.execute(tx.kysely);
      await new Promise<void>((resolve) => {
        release = resolve;
      });
    });
    await eventually(
      async () => (await service.client().login({ username: 'bea', password: PASSWORD })).status === 503,
    );
    await expectOutage(service);
    expect(await client.isSignedIn()).toBe(true);
    release();
    await locked;

    await eventually(async () => (await service.client().get('/readyz')).status === 200);
    expect((await service.client().login({ username: 'bea', password: PASSWORD })).status).toBe(200);
  },
  60_000 + 4 * WAIT_FOR_LOCK_MS,
);
