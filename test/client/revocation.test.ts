// Measures how long an application in a separate process still lets a visitor in after the session ended at one of two
// services.
import { expect, test, vi } from 'vitest';
import {
  addUser,
  makeDatabase,
  type Owner,
  type Place,
  runCommand,
  type Service,
  startService,
} from '../lifecycle/support.ts';
import type { Client } from '../support/client.ts';
import { eachDatabase, freshDatabase } from '../support/each-database.ts';
import { freezablePath } from '../support/freezable-path.ts';
import { startApplication } from './start-application.ts';

vi.setConfig({ testTimeout: 180_000 });

/** Additional time for a busy machine. */
const SLACK_MS = 1000;

const secretOf = (json: unknown): string =>
  typeof json === 'object' && json !== null && 'secret' in json ? String(json.secret) : '';

const url = ({ port }: Pick<Service, 'port'>): string => `http://127.0.0.1:${port}`;

/** Returns the milliseconds from now until the application refuses the visitor. */
async function untilRefused(visitor: Client): Promise<number> {
  const since = performance.now();
  await vi.waitUntil(async () => (await visitor.get('/')).status === 401, { timeout: 20_000, interval: 5 });
  return performance.now() - since;
}

eachDatabase('an application that caches answers', (database) => {
  async function start(t: Owner) {
    const fresh = await freshDatabase(database);
    t.onTestFinished(fresh.drop);
    const place: Place = { ...fresh, settings: { MAX_SESSIONS_PER_USER: '100', RATE_LIMITS: 'off', env: 'dev' } };
    await makeDatabase(t, place);
    const user = await addUser(t, place, 'ada', ['--app', 'authsvc', '--app', 'portal']);
    const { json } = await runCommand(t, place, ['app', 'add', 'portal', '--name', 'Portal', '--json']);
    const [here, there] = [await startService(t, place), await startService(t, place)];
    const signIn = async (application: () => Client) => {
      const browser = here.client();
      await browser.login(user);
      const visitor = application();
      for (const [name, value] of browser.jar) visitor.jar.set(name, value);
      await vi.waitUntil(async () => (await visitor.get('/')).status === 200, { timeout: 20_000 });
      for (let i = 0; i < 20; i += 1) expect((await visitor.get('/')).text).toBe('ada');
      return { browser, visitor };
    };
    return { place, secret: secretOf(json), here, there, signIn };
  }

  test('refuses a session within a second after it ends at another process or by a command', async (t) => {
    const { place, secret, there, signIn } = await start(t);
    const application = await startApplication(t, url(there), 'portal', secret);

    const delays = [];
    for (let round = 0; round < 3; round += 1) {
      const { browser, visitor } = await signIn(application);
      await browser.logout();
      delays.push(await untilRefused(visitor));
    }
    const { visitor } = await signIn(application);
    await runCommand(t, place, ['session', 'revoke-all', 'ada', '--yes']);
    delays.push(await untilRefused(visitor));

    expect(Math.max(...delays)).toBeLessThan(1000 + SLACK_MS);
  });

  test('stops using cached answers within three seconds if the connection to the service is silently cut, and at once if it is closed', async (t) => {
    const { secret, here, there, signIn } = await start(t);
    const path = await freezablePath(t, url(there));
    const application = await startApplication(t, path.url, 'portal', secret);
    const { visitor } = await signIn(application);

    path.freeze();
    const since = performance.now();
    let lastYes = since;
    while ((await visitor.get('/')).status === 200) lastYes = performance.now();
    expect(lastYes - since).toBeLessThan(3000);
    path.thaw();

    const again = await signIn(application);
    expect(await there.stop('SIGTERM')).toMatchObject({ code: 0 });
    expect((await again.visitor.get('/')).status).toBe(503);
    expect(here.isRunning()).toBe(true);
  });
});
