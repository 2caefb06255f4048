import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { freshDatabase } from '../support/each-database.ts';
import { startApp } from '../support/start-app.ts';

/** Starts a proxy to PostgreSQL. It can hold back the next BEGIN and everything that follows, as a frozen network does. */
async function stallingProxy(target: URL) {
  const state = { holdsBeginning: false, held: [] as { chunk: Buffer; upstream: Socket }[] };
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    const isHeld = () => state.held.some((entry) => entry.upstream === upstream);
    client.on('data', (chunk) => {
      if (isHeld() || (state.holdsBeginning && chunk.includes('start transaction'))) {
        state.holdsBeginning = false;
        state.held.push({ chunk, upstream });
      } else upstream.write(chunk);
    });
    upstream.on('data', (chunk) => client.write(chunk));
    for (const socket of [client, upstream]) socket.on('error', () => undefined);
    client.on('close', () => upstream.end());
    upstream.on('close', () => client.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String(typeof address === 'object' && address ? address.port : 0);
  const release = () => {
    for (const { chunk, upstream } of state.held) if (upstream.writable) upstream.write(chunk);
    state.held = [];
  };
  return { url: String(url), state, release, close: () => server.close() };
}

test('a transaction that stalls at its beginning undoes nothing that was acknowledged', async (t) => {
  const shared = await freshDatabase('postgres');
  t.onTestFinished(shared.drop);
  const proxy = await stallingProxy(new URL(shared.url));
  t.onTestFinished(() => void proxy.close());
  const settings = { DATABASE_POOL_MAX: '1', env: 'dev', RATE_LIMITS: 'off' };
  const app = await startApp(t, { database: { ...shared, url: proxy.url }, settings });
  const witness = await startApp(t, { database: shared, settings });
  const [ada, bob] = [await app.seedUser(), await app.seedUser()];
  const client = await app.signIn(bob);
  const copy = witness.client();
  for (const [name, value] of client.jar) copy.jar.set(name, value);

  proxy.state.holdsBeginning = true;
  const stalled = await app.client().login(ada);
  proxy.release();
  const out = await client.logout();

  expect([stalled.status, stalled.body.code]).toEqual([503, 'OVERLOADED']);
  expect(out.status).toBe(200);
  expect(await copy.isSignedIn()).toBe(false);
  expect((await app.client().login({ ...bob, password: 'wrong-horse-1' })).status).toBe(401);
  expect(await copy.isSignedIn()).toBe(false);
});
