import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test, vi } from 'vitest';
import type { Client } from '../support/client.ts';
import { eachDatabase, freshDatabase } from '../support/each-database.ts';
import { addUser, runProgram, type Service, startService } from './support.ts';

vi.setConfig({ testTimeout: 180_000 });

const PATIENCE = { timeout: 60_000, interval: 50 };
const lines = (service: Pick<Service, 'stdout'>): Record<string, unknown>[] =>
  service
    .stdout()
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map((line) => JSON.parse(line));

/** Returns the process ids of the workers that have started to listen. */
const workersOf = (service: Service): number[] => [
  ...new Set(
    lines(service)
      .filter(({ msg }) => String(msg).startsWith('listening at'))
      .map(({ pid }) => Number(pid)),
  ),
];

const isThere = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

async function startThree(service: Promise<Service>): Promise<Service> {
  const started = await service;
  await vi.waitUntil(() => workersOf(started).length === 3, PATIENCE);
  return started;
}

/** Logs in this many times from one address. Returns how often each status occurred. */
async function knock(client: Client, times: number): Promise<Record<number, number>> {
  const login = { username: 'nobody', password: 'wrong-horse-1' };
  const statuses: Record<number, number> = {};
  const one = async () => {
    const { status } = await client.clone().login(login, { address: '10.9.8.7' });
    statuses[status] = (statuses[status] ?? 0) + 1;
  };
  await Promise.all(Array.from({ length: times }, one));
  return statuses;
}

eachDatabase('three workers', (kind) => {
  test('serve one port, share limits and sessions, and stop together', async (t) => {
    const fresh = await freshDatabase(kind);
    t.onTestFinished(fresh.drop);
    const service = await startThree(startService(t, fresh, ['--workers', '3']));
    const user = await addUser(t, fresh, 'ada');
    const client = service.client();
    expect((await client.login(user)).status).toBe(200);
    const workers = workersOf(service);

    for (let i = 0; i < 12; i += 1) expect(await client.isSignedIn()).toBe(true);
    const statuses = await knock(service.client(), 12);

    expect(statuses).toEqual({ 404: 8, 429: 4 });
    const served = lines(service).filter(({ msg }) => msg === 'request');
    expect(new Set(served.map(({ pid }) => pid)).size).toBeGreaterThan(1);
    expect(served.every(({ worker, pid }) => Number(worker) > 0 && workers.includes(Number(pid)))).toBe(true);
    expect(lines(service).filter(({ msg }) => msg === 'database brought up to date')).toHaveLength(1);
    expect(service.stderr().match(/first superadmin/g)).toHaveLength(1);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    expect(workers.filter(isThere)).toEqual([]);
  });

  test('are replaced one by one when they die, on the same port', async (t) => {
    const fresh = await freshDatabase(kind);
    t.onTestFinished(fresh.drop);
    const service = await startThree(startService(t, fresh, ['--workers', '3']));
    const user = await addUser(t, fresh, 'ada');
    const client = service.client();
    await client.login(user);
    const first = workersOf(service);

    for (const pid of first) process.kill(pid, 'SIGKILL');
    await vi.waitUntil(() => workersOf(service).length === 6, PATIENCE);

    expect(await client.isSignedIn()).toBe(true);
    expect(lines(service).filter(({ msg }) => msg === 'a worker has ended and is replaced')).toHaveLength(3);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    expect(workersOf(service).filter(isThere)).toEqual([]);
  });
});

test('workers that each got the signal of a terminal still end with 0', async (t) => {
  const fresh = await freshDatabase('sqlite');
  t.onTestFinished(fresh.drop);
  const service = await startThree(startService(t, fresh, ['--workers', '3']));

  for (const pid of workersOf(service)) process.kill(pid, 'SIGINT');

  expect(await service.stop('SIGINT')).toEqual({ code: 0, signal: null });
});

test('workers end if their primary process is killed', async (t) => {
  const fresh = await freshDatabase('sqlite');
  t.onTestFinished(fresh.drop);
  const service = await startThree(startService(t, fresh, ['--workers', '3']));

  service.signal('SIGKILL');

  await vi.waitUntil(() => workersOf(service).filter(isThere).length === 0, PATIENCE);
});

test('workers that cannot listen end the start with 1 and the reason', async (t) => {
  const fresh = await freshDatabase('sqlite');
  t.onTestFinished(fresh.drop);
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  t.onTestFinished(() => void taken.close());
  const address = taken.address();
  const port = typeof address === 'object' && address ? address.port : 0;

  const program = runProgram(t, fresh, ['serve', '--workers', '2', '--port', String(port)]);

  expect(await program.ended).toEqual({ code: 1, signal: null });
  expect(program.stderr()).toContain('is in use by another program');
});
