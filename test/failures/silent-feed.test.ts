import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { BOUND_MS } from '../../src/db/changes.ts';
import { PASSWORD, type Service, startService } from '../lifecycle/support.ts';
import type { Client } from '../support/client.ts';
import { freshDatabase } from '../support/each-database.ts';
import { freezablePath } from '../support/freezable-path.ts';
import { addUsers, eventually, feedAlive, placeAt } from './support.ts';

vi.setConfig({ testTimeout: 180_000 });

const SESSIONS = 10;
/** Additional time between a reply and reading the clock on a busy machine. */
const SLACK_MS = 250;

const copyTo = (service: Service, client: Client): Client => {
  const copy = service.client();
  for (const [name, value] of client.jar) copy.jar.set(name, value);
  return copy;
};

/** Signs in several times at one service, and makes the other service cache each session. */
async function keptSessions(here: Service, there: Service) {
  const clients: { here: Client; there: Client; csrf: string }[] = [];
  for (let i = 0; i < SESSIONS; i += 1) {
    const client = here.client();
    const csrf = await client.csrf();
    expect((await client.login({ username: 'ada', password: PASSWORD })).status).toBe(200);
    clients.push({ here: client, there: copyTo(there, client), csrf });
  }
  for (const client of clients) for (let i = 0; i < 3; i += 1) expect(await client.there.isSignedIn()).toBe(true);
  return clients;
}

/**
 * Checks a session that has ended until a service says that it is not valid. Returns the time from the end of the session
 * to the last reply that called it valid.
 */
async function lastYes(client: Client, endedAt: number): Promise<number> {
  let last = 0;
  while (performance.now() - endedAt < 2 * BOUND_MS) {
    const asked = performance.now();
    if (!(await client.isSignedIn())) return last;
    last = asked - endedAt;
    await sleep(10);
  }
  return last;
}

test.each([
  ['the feed alone', 'DATABASE_LISTEN_URL'],
  ['every connection to the database', 'DATABASE_URL'],
])('%s becomes silent: no cached answer is older than the limit', async (what, setting) => {
  const fresh = await freshDatabase('postgres');
  const owner = { onTestFinished: (stop: () => Promise<void>) => void stops.unshift(stop) };
  const stops = [fresh.drop];
  try {
    const path = await freezablePath(owner, fresh.url);
    const place = await placeAt(owner, fresh.url);
    await addUsers(owner, place);
    const here = await startService(owner, place);
    const there = await startService(owner, { ...place, settings: { ...place.settings, [setting]: path.url } });
    await Promise.all([feedAlive(here), feedAlive(there)]);
    const sessions = await keptSessions(here, there);

    path.freeze();
    const ages = sessions.map(async ({ here: client, there: copy, csrf }, at) => {
      await sleep(at * 150);
      expect((await client.post('/authsvc/api/logout', { _csrf: csrf })).status).toBe(200);
      return lastYes(copy, performance.now());
    });
    const oldest = Math.max(...(await Promise.all(ages)));
    path.thaw();

    const told = `${SESSIONS} sign-outs acknowledged by one process, the last yes of the other ${Math.round(oldest)} ms later`;
    process.stderr.write(`silent (${what}): ${told}, ${BOUND_MS} allowed\n`);
    expect(oldest).toBeLessThan(BOUND_MS + SLACK_MS);
    await feedAlive(there, 2);
    for (const { there: copy } of sessions)
      await eventually(async () => (await copy.get('/authsvc/api/checkSession')).body.session_valid === false);
    const client = here.client();
    await client.login({ username: 'bea', password: PASSWORD });
    const copy = copyTo(there, client);
    expect(await copy.isSignedIn()).toBe(true);
    await client.logout();
    await vi.waitUntil(async () => !(await copy.isSignedIn()), { timeout: BOUND_MS, interval: 5 });
  } finally {
    for (const stop of stops) await stop();
  }
});
