import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest';
import { addApplication } from '../../src/applications/add-application.ts';
import { changeApplication } from '../../src/applications/change-application.ts';
import { sharedApp } from '../http/support.ts';
import { hasChromium, launchBrowser } from '../support/chromium.ts';
import { type Host, type OwnPage, startHost } from './host.ts';

const FOLDER = join(import.meta.dirname, '../../packages/client/dist');
/** A page of an application that loads the built package. */
const page: OwnPage = {
  type: 'text/html; charset=utf-8',
  body: `<!doctype html><html lang="en"><title>Portal</title><h1>Portal</h1><script type="module">
    import { createBrowserAuth } from '/client/browser.js';
    const server = new URLSearchParams(location.search).get('server');
    window.auth = createBrowserAuth({ server, app: 'portal' });
  </script></html>`,
};
const scripts = () =>
  Object.fromEntries(
    readdirSync(FOLDER)
      .filter((name) => name.endsWith('.js'))
      .map((name) => [`/client/${name}`, { type: 'text/javascript', body: readFileSync(join(FOLDER, name), 'utf8') }]),
  );
/** Returns the name of the person whom the page considers signed in, or the name of the error. */
const WHO = `auth.visitor().then((visitor) => visitor?.username ?? null, (error) => error.constructor.name)`;

describe.skipIf(!hasChromium())('authsvc-client/browser in the page of an application', () => {
  const app = sharedApp({ database: 'sqlite', settings: { env: 'dev', RATE_LIMITS: 'off' } });
  let browser: Browser;
  let host: Host;
  beforeAll(async () => {
    browser = await launchBrowser();
    host = await startHost(() => app().port, { '/': page, ...scripts() });
    const fields = { key: 'portal', name: 'Portal', urls: [host.url] };
    await addApplication(app().change(), app().services.settings, fields);
  });
  afterAll(async () => {
    await browser.close();
    await host.close();
  });

  async function openPage(t: TestContext): Promise<{ tab: Page; url: string }> {
    const context = await browser.newContext({ locale: 'en-GB' });
    context.setDefaultTimeout(20_000);
    t.onTestFinished(() => context.close());
    const tab = await context.newPage();
    const url = `${host.url}/?server=${encodeURIComponent(`http://localhost:${app().port}`)}#part`;
    await tab.goto(url);
    await tab.waitForFunction('window.auth');
    return { tab, url };
  }

  test('finds no one, opens the sign-in page and returns, finds the person, and signs the person out', async (t) => {
    const user = await app().seedUser({ apps: ['authsvc', 'portal'] });
    const { tab, url } = await openPage(t);

    const before = await tab.evaluate(WHO);
    await tab.evaluate('auth.signIn()');
    await tab.waitForURL('**/authsvc/login?**');
    await tab.getByLabel('Username').fill(user.username);
    await tab.getByLabel('Password', { exact: true }).fill(user.password);
    await tab.getByRole('button', { name: 'Sign in', exact: true }).click();
    await tab.waitForURL(url);
    await tab.waitForFunction('window.auth');
    const signedIn = await tab.evaluate(WHO);
    await tab.evaluate('auth.signOut()');
    await tab.waitForURL('**/authsvc/logout?**');
    await tab.getByRole('button', { name: 'Sign out of this account' }).click();
    await tab.waitForURL(url);
    await tab.waitForFunction('window.auth');

    expect([before, signedIn, await tab.evaluate(WHO)]).toEqual([null, user.username, null]);
  });

  test('reports a refusal, not a missing session, on a page whose origin does not belong to the application', async (t) => {
    const { tab } = await openPage(t);
    await changeApplication(app().change(), app().services.settings, 'portal', {
      urls: ['https://portal.example.test'],
    });
    t.onTestFinished(async () => {
      await changeApplication(app().change(), app().services.settings, 'portal', { urls: [host.url] });
    });

    expect(await tab.evaluate(WHO)).toBe('AuthUnavailable');
  });
});
