import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { hasChromium, launchBrowser } from '../support/chromium.ts';
import { startApp } from '../support/start-app.ts';
import { codeOf, seedSecondFactorUser } from '../support/totp.ts';

// On a busy machine, a browser is slow.
vi.setConfig({ testTimeout: 120_000 });

const settings = { AUTHSVC_TWO_FA_ENABLE: 'true', env: 'dev', RATE_LIMITS: 'off' };

describe.skipIf(!hasChromium())('two people in one browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  async function signIn(page: Page, user: { username: string; password: string }): Promise<void> {
    await page.fill('#username', user.username);
    await page.fill('#password', user.password);
    await page.click('#submit');
  }

  async function confirm(page: Page, opener: string, dialog: string): Promise<void> {
    await page.click(opener);
    await page.click(`${dialog} button[value=confirm]`);
  }

  test('a person who changes the account on the way still arrives at the original destination', async (t) => {
    const app = await startApp(t, { database: 'sqlite', settings });
    const carol = await seedSecondFactorUser(app, { fullName: 'Carol Doe' });
    const [bob, dan] = [await app.seedUser({ fullName: 'Bob Roe' }), await app.seedUser({ fullName: 'Dan Poe' })];
    const context = await browser.newContext({ locale: 'en', baseURL: app.url });
    context.setDefaultTimeout(15_000);
    t.onTestFinished(() => context.close());
    const page = await context.newPage();
    const way = 'redirect=%2Fauthsvc%2Finfo';

    await page.goto(`/authsvc/login?${way}`);
    await signIn(page, carol);
    await page.waitForURL('**/authsvc/2fa');
    await page.getByRole('link', { name: 'Sign in with another account' }).click();
    await page.waitForURL(`**/authsvc/login?${way}`);
    await signIn(page, bob);
    await page.waitForURL('**/authsvc/info');

    await page.goto(`/authsvc/login?${way}`);
    await page.getByRole('link', { name: 'Use another account' }).click();
    await page.getByRole('link', { name: 'Add another account' }).click();
    await page.waitForURL(`**/authsvc/login?${way}&add=1`);
    await signIn(page, dan);
    await page.waitForURL('**/authsvc/info');

    await page.goto(`/authsvc/accounts?${way}`);
    await confirm(page, '#logout', '#logout-dialog');
    await page.locator('#notice:visible').waitFor();
    await page.getByRole('button', { name: 'Switch to Bob Roe' }).click();
    await page.waitForURL('**/authsvc/info');

    await page.goto(`/authsvc/accounts?${way}`);
    await confirm(page, '#logout', '#logout-dialog');
    await page.waitForURL(`**/authsvc/login?${way}`);
    await signIn(page, dan);
    await page.waitForURL('**/authsvc/info');
  });

  test('sign in with a code, trust the browser, add an account, switch twice, sign out of one account, and sign out of all', async (t) => {
    const app = await startApp(t, { database: 'sqlite', settings });
    const carol = await seedSecondFactorUser(app, { fullName: 'Carol Doe' });
    const bob = await app.seedUser({ fullName: 'Bob Roe' });
    const context = await browser.newContext({ locale: 'en', baseURL: app.url });
    context.setDefaultTimeout(15_000);
    t.onTestFinished(() => context.close());
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));

    await page.goto('/authsvc/login');
    await signIn(page, carol);
    await page.waitForURL('**/authsvc/2fa');
    await page.check('#trust-device');
    await page.fill('#token', codeOf(app, carol.secret));
    await page.waitForURL('**/authsvc/');
    await page.goto('/authsvc/accounts');
    await page.getByRole('link', { name: 'Add another account' }).click();
    await page.locator('#username:focus').waitFor();
    await signIn(page, bob);
    await page.waitForURL('**/authsvc/');

    for (const [name, username] of [
      ['Carol Doe', carol.username],
      ['Bob Roe', bob.username],
    ]) {
      await page.goto('/authsvc/accounts');
      await page.getByRole('button', { name: `${name}` }).press('Enter');
      await page.waitForURL('**/authsvc/');
      expect(await page.textContent('main')).toContain(username);
    }

    await page.goto('/authsvc/accounts');
    await confirm(page, '#logout', '#logout-dialog');
    await page.locator('#logout').waitFor({ state: 'detached' });
    expect(await page.locator('#notice:visible').textContent()).toBe(`${bob.username} is signed out.`);
    expect(await page.getByRole('button', { name: 'Bob Roe' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Carol Doe' }).click();
    await page.waitForURL('**/authsvc/');

    await page.goto('/authsvc/login?add=1');
    await signIn(page, bob);
    await page.waitForURL('**/authsvc/');
    await page.goto('/authsvc/accounts');
    await confirm(page, '#logout-all', '#logout-all-dialog');
    await page.waitForURL('**/authsvc/login**');
    expect(await page.locator('#notice:visible').textContent()).toBe('All accounts are signed out.');
    await page.reload();
    expect(await page.locator('#notice:visible').count()).toBe(0);
    expect(await page.inputValue('#username')).toBe('');
    await signIn(page, carol);
    await page.waitForURL('**/authsvc/');

    await page.goto('/authsvc/accounts');
    expect(await page.locator('#logout-all').count()).toBe(0);
    await confirm(page, '#logout', '#logout-dialog');
    await page.waitForURL('**/authsvc/login**');
    expect(await page.locator('#notice:visible').textContent()).toBe(`${carol.username} is signed out.`);
    expect(problems).toEqual([]);
  });
});
