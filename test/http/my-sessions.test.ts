import { expect, test, vi } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../src/lib/clock.ts';
import type { Client } from '../support/client.ts';
import { eachDatabase, freshDatabase } from '../support/each-database.ts';
import { change, sessionsOf } from '../support/my-account.ts';
import { startApp } from '../support/start-app.ts';
import { expectError, sharedApp } from './support.ts';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';

/** Returns when another session of the client's user was last used. */
const seenAt = async (client: Client): Promise<number> =>
  Date.parse(String((await sessionsOf(client)).find(({ current }) => !current)?.last_seen_at));

eachDatabase("the user's own sessions", (database) => {
  const app = sharedApp({ database });

  test('are listed in words, newest first, without any session id', async () => {
    const ada = await app().seedUser();
    await app().client().login(ada, { address: '198.51.100.7' });
    const client = app().client();
    await client.login(ada, { headers: { 'user-agent': FIREFOX }, address: '198.51.100.8' });

    const { body, text } = await client.get('/authsvc/api/account/sessions');

    const item = {
      ref: expect.stringMatching(/^[0-9a-f]{24}$/),
      method: 'password',
      created_at: expect.stringMatching(/Z$/),
      last_seen_at: expect.stringMatching(/Z$/),
      expires_at: expect.stringMatching(/Z$/),
    };
    expect(body.sessions).toEqual([
      { ...item, browser: 'Firefox 128', system: 'Linux', address: '198.51.100.8', current: true },
      { ...item, browser: null, system: null, address: '198.51.100.7', current: false },
    ]);
    expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/);
  });

  test('the ref of a session stays the same when an account switch changes the session id', async () => {
    const client = await app().signIn(await app().seedUser());
    const [before] = await sessionsOf(client);
    const { current_session_id: id } = (await client.get('/authsvc/api/account-sessions')).body;
    await client.login(await app().seedUser());
    await client.post('/authsvc/api/switch-session', { session_id: id });

    expect((await sessionsOf(client))[0]?.ref).toBe(before?.ref);
  });

  test('one session can be ended by its ref, once; refs of other users and odd refs are unknown', async () => {
    const ada = await app().seedUser();
    const [here, there] = [await app().signIn(ada), await app().signIn(ada)];
    const stranger = await app().signIn(await app().seedUser());
    const ref = (await sessionsOf(here)).find(({ current }) => !current)?.ref;

    expectError(await change(stranger, 'DELETE', `/sessions/${ref}`), 'REF_UNKNOWN');
    for (const odd of ['x', '%00', 'a'.repeat(300)])
      expectError(await change(here, 'DELETE', `/sessions/${odd}`), 'REF_UNKNOWN');
    expect((await change(here, 'DELETE', `/sessions/${ref}`)).body).toEqual({ success: true, ended: 1 });

    expect([await there.isSignedIn(), await here.isSignedIn()]).toEqual([false, true]);
    expectError(await change(here, 'DELETE', `/sessions/${ref}`), 'REF_UNKNOWN');
    expectError(await there.get('/authsvc/api/account'), 'NOT_SIGNED_IN');
  });

  test('ending the current session signs the user out', async () => {
    const client = await app().signIn(await app().seedUser());
    const [{ ref } = { ref: '' }] = await sessionsOf(client);

    const reply = await change(client, 'DELETE', `/sessions/${ref}`);

    expect([reply.status, reply.body.ended]).toEqual([200, 1]);
    expect(reply.cookies.find(({ name }) => name === 'session_id')?.isCleared).toBe(true);
    expect(await client.isSignedIn()).toBe(false);
  });

  test('all other sessions can be ended at once', async () => {
    const ada = await app().seedUser();
    const [here, ...others] = [await app().signIn(ada), await app().signIn(ada), await app().signIn(ada)];

    expect((await change(here, 'POST', '/sessions/end-others')).body).toEqual({ success: true, ended: 2 });

    expect(await Promise.all(others.map((other) => other.isSignedIn()))).toEqual([false, false]);
    expect(await sessionsOf(here)).toHaveLength(1);
    expect((await change(here, 'POST', '/sessions/end-others')).body).toEqual({ success: true, ended: 0 });
  });

  test('the last use is stored in the background, at most once in five minutes', async (t) => {
    const own = await startApp(t, { database });
    const ada = await own.seedUser();
    const [here, there] = [await own.signIn(ada), await own.signIn(ada)];
    const before = await seenAt(here);
    own.clock.advance(4 * MINUTE_MS);
    await there.isSignedIn();
    expect(own.services.lastSeen.take()).toEqual([]);
    own.clock.advance(HOUR_MS);
    expect(await seenAt(here)).toBe(before);

    await there.isSignedIn();

    await vi.waitUntil(async () => (await seenAt(here)) >= before + HOUR_MS, { timeout: 20_000, interval: 250 });
  });

  test('the last use before a stop is stored', async (t) => {
    const fresh = await freshDatabase(database);
    t.onTestFinished(fresh.drop);
    const stops: (() => Promise<void>)[] = [];
    const first = await startApp({ onTestFinished: (stop) => void stops.push(stop) }, { database: fresh });
    const ada = await first.seedUser();
    const [here, there] = [await first.signIn(ada), await first.signIn(ada)];
    const before = await seenAt(here);
    first.clock.advance(HOUR_MS);
    await there.isSignedIn();
    for (const stop of stops) await stop();

    const second = await startApp(t, { database: fresh, clock: first.clock });
    const again = second.client();
    for (const [name, value] of here.jar) again.jar.set(name, value);

    expect(await seenAt(again)).toBeGreaterThanOrEqual(before + HOUR_MS);
  });
});
