import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { BOUND_MS } from '../../src/db/changes.ts';
import type { Client, Reply } from '../support/client.ts';
import { freshDatabase } from '../support/each-database.ts';
import { freezablePath } from '../support/freezable-path.ts';
import { startPostgres } from '../support/postgres.ts';
import { addUser, makeDatabase, runCommand, startService } from './support.ts';

vi.setConfig({ testTimeout: 120_000 });

/**
 * The longest time for a request. A database that refuses connections is noticed at once. One that does not answer costs
 * one timeout for each query of the request.
 */
const REFUSING_MS = 6000;
const SILENT_MS = 9000;

/**
 * Sends one request of each kind to a service whose database is unavailable. Returns each reply with the time that it
 * took.
 */
async function askEverything(client: Client, user: { username: string; password: string }) {
  const timed = async (what: string, ask: Promise<Reply>) => {
    const from = performance.now();
    const reply = await ask;
    return { what, reply, ms: performance.now() - from };
  };
  const session_id = '00000000-0000-4000-8000-000000000000';
  return Promise.all([
    timed('check', client.clone().get('/authsvc/api/checkSession')),
    timed('verify', client.clone().post('/authsvc/api/verifySession', { session_id })),
    timed('light check', client.clone().post('/authsvc/test')),
    timed('login', client.clone().login(user)),
    timed('logout', client.clone().post('/authsvc/api/logout', {})),
    timed('role', client.clone().get('/authsvc/validate-superadmin')),
    timed('page', client.clone().page('/authsvc/test')),
  ]);
}

function expectHonestErrors(answers: Awaited<ReturnType<typeof askEverything>>, withinMs: number): void {
  for (const { what, reply, ms } of answers) {
    expect([what, reply.status]).toEqual([what, expect.toBeOneOf([500, 503])]);
    expect([what, ms < withinMs]).toEqual([what, true]);
    expect([what, reply.cookies]).toEqual([what, []]);
    expect(reply.text).not.toMatch(/ECONN|postgres|connection terminated|\bat .+:\d+:\d+/i);
    if (what === 'page') expect(reply.headers['content-type']).toContain('text/html');
    else expect(reply.body).toMatchObject({ success: false, code: expect.any(String), request_id: expect.any(String) });
  }
}

async function eventually(holds: () => Promise<boolean>): Promise<boolean> {
  for (let i = 0; i < 100; i += 1) {
    if (await holds()) return true;
    await sleep(100);
  }
  return false;
}

test('PostgreSQL restarts: the service keeps running, reports errors in the meantime, and everyone is still signed in', async (t) => {
  const server = await startPostgres();
  t.onTestFinished(() => server.stop());
  const fresh = await freshDatabase('sqlite');
  t.onTestFinished(fresh.drop);
  const place = { url: server.url, folder: fresh.folder };
  await makeDatabase(t, place);
  const user = await addUser(t, place, 'ada');
  const service = await startService(t, place);
  const client = service.client();
  await client.login(user);
  expect(await client.isSignedIn()).toBe(true);

  await server.halt();
  for (let round = 0; round < 2; round += 1) expectHonestErrors(await askEverything(client, user), REFUSING_MS);
  const [health, readiness] = [await client.get('/healthz'), await client.get('/readyz')];
  const command = await runCommand(t, place, ['user', 'list']);
  await server.resume();

  expect([health.status, readiness.status]).toEqual([200, 503]);
  expect(readiness.body).toMatchObject({ dependencies: { database: 'unavailable' } });
  expect(command.code).toBe(1);
  expect(command.stderr.trim().split('\n')).toHaveLength(1);
  expect(await eventually(() => client.isSignedIn())).toBe(true);
  expect((await service.client().login(user)).status).toBe(200);
  expect((await client.get('/readyz')).status).toBe(200);
  expect((await client.logout()).status).toBe(200);
  expect(service.isRunning()).toBe(true);
  expect(await service.stop()).toEqual({ code: 0, signal: null });
});

test('PostgreSQL stops answering: every request still gets a reply, and everything works when it answers again', async (t) => {
  const fresh = await freshDatabase('postgres');
  t.onTestFinished(fresh.drop);
  const path = await freezablePath(t, fresh.url);
  await makeDatabase(t, fresh);
  const user = await addUser(t, fresh, 'ada');
  const service = await startService(t, { url: path.url, folder: fresh.folder, settings: { DATABASE_POOL_MAX: '3' } });
  const client = service.client();
  await client.login(user);
  expect(await client.isSignedIn()).toBe(true);

  path.freeze();
  await sleep(BOUND_MS);
  expectHonestErrors(await askEverything(client, user), SILENT_MS);
  path.thaw();

  expect(await eventually(() => client.isSignedIn())).toBe(true);
  expect((await service.client().login(user)).status).toBe(200);
  expect(await service.stop()).toEqual({ code: 0, signal: null });
});
