import { AxeBuilder } from '@axe-core/playwright';
import { generateSync } from 'otplib';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest';
import { enableSecondFactor } from '../../src/factors/second-factor.ts';
import { newTotpSecret } from '../../src/lib/totp.ts';
import { sharedSocialWorld } from '../http/social-support.ts';
import { hasChromium, launchBrowser } from '../support/chromium.ts';

describe.skipIf(!hasChromium())('social sign-in in a browser', { timeout: 120_000 }, () => {
  const world = sharedSocialWorld('sqlite', {
    AUTHSVC_TWO_FA_ENABLE: 'true',
    LOGIN_REDIRECT_URL: '/authsvc/',
    env: 'dev',
    RATE_LIMITS: 'off',
  });
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  async function openTab(t: TestContext): Promise<Page> {
    const context = await browser.newContext({ locale: 'en' });
    context.setDefaultTimeout(40_000);
    await context.route(
      ({ hostname }) => !['localhost', '127.0.0.1'].includes(hostname),
      (route) => route.abort(),
    );
    t.onTestFinished(() => context.close());
    return context.newPage();
  }
  const address = (path: string) => world().app.services.baseUrl() + path;

  /** Presses the button of the login page, and fills in the forms of the provider. */
  async function signInAtProvider(page: Page, subject: string): Promise<void> {
    await page.getByRole('link', { name: 'Continue with Web SSO' }).click();
    await page.getByPlaceholder('Enter any login').fill(subject);
    await page.getByPlaceholder('and password').fill('any');
    await page.getByRole('button', { name: 'Sign-in' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
  }

  async function expectAccessible(page: Page): Promise<void> {
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
  }

  test('a person signs in through the provider, and the login page remembers the method', async (t) => {
    const { linkedUser } = world();
    const ada = await linkedUser('websso', 'sub-browser-ada');
    const page = await openTab(t);
    await page.goto(address('/authsvc/login'));

    await signInAtProvider(page, 'sub-browser-ada');

    await page.waitForURL('**/authsvc/');
    expect(await page.textContent('main')).toContain(ada.username);
    await page.context().clearCookies({ name: 'session_id' });
    await page.goto(address('/authsvc/login'));
    expect(await page.getByRole('link', { name: 'Continue with Web SSO' }).textContent()).toContain('Last used');
    expect(await page.getByRole('link', { name: 'Continue with Codehost' }).textContent()).not.toContain('Last used');
  });

  test('a user with a second factor is asked for the code before the sign-in completes', async (t) => {
    const { app, linkedUser } = world();
    const eve = await linkedUser('websso', 'sub-browser-eve');
    const { dataSealer, clock } = app.services;
    const secret = newTotpSecret();
    await enableSecondFactor({ ...app.change(), dataSealer }, eve, secret);
    const page = await openTab(t);
    await page.goto(address('/authsvc/login?redirect=%2Fauthsvc%2Faccounts%3Fa%3D1'));

    await signInAtProvider(page, 'sub-browser-eve');
    await page.waitForURL('**/authsvc/2fa');
    await page.locator('#token').fill(generateSync({ secret, epoch: Math.floor(clock.now() / 1000) }));
    await page.waitForURL('**/authsvc/accounts?a=1');

    expect(await page.textContent('main')).toContain(eve.username);
  });

  test('two tabs with two providers both arrive at their own destinations', async (t) => {
    const { linkedUser, codehost } = world();
    await linkedUser('websso', 'sub-browser-tabs');
    await linkedUser('codehost', 'tabs');
    codehost.user = { id: 'tabs' };
    const one = await openTab(t);
    const two = await one.context().newPage();
    await one.goto(address('/authsvc/login?redirect=%2Fauthsvc%2Faccounts'));
    await two.goto(address('/authsvc/login?redirect=%2Fauthsvc%2Ftest'));
    await one.getByRole('link', { name: 'Continue with Web SSO' }).click();
    await one.getByPlaceholder('Enter any login').fill('sub-browser-tabs');

    await two.getByRole('link', { name: 'Continue with Codehost' }).click();
    await two.waitForURL('**/authsvc/test');
    await one.getByPlaceholder('and password').fill('any');
    await one.getByRole('button', { name: 'Sign-in' }).click();
    await one.getByRole('button', { name: 'Continue' }).click();
    await one.waitForURL('**/authsvc/accounts');

    expect(await one.locator('main').textContent()).toContain('Current');
  });

  test('a person who opens the callback again can continue to the destination of the sign-in', async (t) => {
    const { linkedUser } = world();
    await linkedUser('websso', 'sub-browser-back');
    const page = await openTab(t);
    const callback = page.waitForRequest((request) => request.url().includes('/login/callback'));
    await page.goto(address('/authsvc/login?redirect=%2Fauthsvc%2Faccounts'));
    await signInAtProvider(page, 'sub-browser-back');
    await page.waitForURL('**/authsvc/accounts');

    await page.goto((await callback).url());
    await page.getByRole('heading', { name: 'This sign-in is already complete' }).waitFor();
    await page.getByRole('link', { name: 'Continue' }).click();

    await page.waitForURL('**/authsvc/accounts');
  });

  test('a person who cancels at the provider returns to the login page, which keeps the destination', async (t) => {
    const page = await openTab(t);
    await page.goto(address('/authsvc/login?redirect=%2Fauthsvc%2Faccounts'));
    await page.getByRole('link', { name: 'Continue with Web SSO' }).click();

    await page.getByRole('link', { name: 'Cancel' }).click();

    await page.getByRole('heading', { name: 'You cancelled the sign-in at the provider' }).waitFor();
    await page.getByRole('link', { name: 'Go to the sign-in page' }).click();
    await page.waitForURL(address('/authsvc/login?redirect=%2Fauthsvc%2Faccounts'));
  });

  test('the page names an account that is not linked, so that an administrator can link it', async (t) => {
    const { codehost } = world();
    codehost.user = { id: 583231 };
    const page = await openTab(t);
    await page.goto(address('/authsvc/login'));

    await page.getByRole('link', { name: 'Continue with Codehost' }).click();

    await page.getByRole('heading', { name: 'Your Codehost account is not linked to an account here' }).waitFor();
    expect(await page.textContent('#provider-account')).toBe('583231');
    await expectAccessible(page);
  });
});
