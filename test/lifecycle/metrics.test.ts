import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test, vi } from 'vitest';
import { freshDatabase } from '../support/each-database.ts';
import { scrape } from '../support/metrics.ts';
import { type Place, runProgram, type Service, startService } from './support.ts';

vi.setConfig({ testTimeout: 180_000 });

const PATIENCE = { timeout: 60_000, interval: 50 };

const portOf = ({ stdout }: Pick<Service, 'stdout'>): number =>
  Number(/metrics are at http:[^"]*:(\d+)\/metrics/.exec(stdout())?.[1]);

async function place(t: Parameters<typeof startService>[0], settings: Record<string, string>): Promise<Place> {
  const fresh = await freshDatabase('sqlite');
  t.onTestFinished(fresh.drop);
  return { ...fresh, settings };
}

test('the metrics of workers are sums that never decrease, even if one is killed', async (t) => {
  const service = await startService(t, await place(t, { METRICS_PORT: '0' }), ['--workers', '2']);
  const read = () => scrape(portOf(service));
  await vi.waitFor(async () => expect((await read()).sum('workers')).toBe(2), PATIENCE);
  const count = async () => (await read()).sum('http_requests_total', { route: '/authsvc/api/checkSession' });
  const client = service.client();
  const ask = () => Promise.all(Array.from({ length: 40 }, () => client.clone().get('/authsvc/api/checkSession')));

  await ask();
  await vi.waitFor(async () => expect(await count()).toBe(40), PATIENCE);
  const pids = new Set([...service.stdout().matchAll(/"pid":(\d+),"worker"/g)].map(([, pid]) => Number(pid)));
  const [first = 0] = pids;
  process.kill(first, 'SIGKILL');
  await vi.waitFor(() => expect(service.stdout()).toContain('a worker has ended and is replaced'), PATIENCE);
  await vi.waitFor(async () => expect((await read()).sum('workers')).toBe(2), PATIENCE);

  expect(await count()).toBe(40);
  await ask();
  await vi.waitFor(async () => expect(await count()).toBe(80), PATIENCE);
  expect((await read()).sum('db_up')).toBe(1);
  expect(await service.stop()).toEqual({ code: 0, signal: null });
});

test('the metrics need a free port other than PORT', async (t) => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  t.onTestFinished(async () => void other.close());
  const address = other.address();
  const port = String(typeof address === 'object' && address ? address.port : 0);
  const taken = await place(t, { METRICS_PORT: port });

  for (const args of [['serve'], ['serve', '--workers', '2']]) {
    const program = runProgram(t, taken, args);
    expect((await program.ended).code).toBe(1);
    expect(program.stderr()).toContain(`METRICS_PORT ${port}: the port is in use`);
  }
  const equal = runProgram(t, { ...taken, settings: { METRICS_PORT: '4711', PORT: '4711' } }, ['serve']);
  expect((await equal.ended).code).not.toBe(0);
  expect(equal.stderr()).toMatch(/METRICS_PORT.*another port than PORT/);
});
