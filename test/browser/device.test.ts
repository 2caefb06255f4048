import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium, launchBrowser } from '../support/chromium.ts';
import { type Codes, decide, poll, requestToken, seedProfile } from '../support/device-login.ts';
import { PASSWORD, type SeededUser, startApp, type TestApp } from '../support/start-app.ts';
import { isComplaint } from './support.ts';

const heading = (page: Page) => page.locator('h1:visible').textContent();

describe.skipIf(!hasChromium())('the approval page in a browser', () => {
  let app: TestApp;
  let browser: Browser;
  let person: SeededUser;
  let key: string;
  const stops: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    browser = await launchBrowser();
    app = await startApp(
      { onTestFinished: (stop) => void stops.push(stop) },
      { database: 'sqlite', settings: { env: 'dev', RATE_LIMITS: 'off' } },
    );
    person = await app.seedUser({ fullName: 'Ada Lovelace' });
    key = (await seedProfile(app, { name: 'Backup', scope: 'write' })).key;
  });
  afterAll(async () => {
    await browser?.close();
    for (const stop of stops) await stop();
  });

  /** Opens the approval page in a new browser, and signs in. */
  async function openRequest(codes: Codes, options: Parameters<Browser['newContext']>[0] = {}) {
    const context: BrowserContext = await browser.newContext(options);
    const page = await context.newPage();
    const troubles: string[] = [];
    page.on('pageerror', (error) => troubles.push(error.message));
    page.on('console', (message) => {
      if (isComplaint(message) && !message.text().includes('404')) troubles.push(message.text());
    });
    await page.goto(`${app.url}/authsvc/cli/device/${codes.userCode}`);
    await page.fill('#username', person.username);
    await page.fill('#password', PASSWORD);
    await page.click('#submit');
    await page.waitForSelector('#approve');
    return { page, troubles, close: () => context.close() };
  }

  test('a person without a session signs in, comes back, sees who asks for what, and approves', async () => {
    const codes = await requestToken(app.client(), key, 'backup on harbour');
    const { page, troubles, close } = await openRequest(codes);
    const asked = await heading(page);
    const atFirst = await page.locator('main').innerText();
    await page.click('summary');
    const text = await page.locator('main').innerText();

    await page.click('#approve');
    await page.waitForSelector('#approved:not([hidden])');
    const done = await heading(page);
    const said = await page.textContent('#status');
    const focused = await page.evaluate<string>('document.activeElement.id');
    const { body } = await poll(app.client(), codes);
    await page.reload();
    const after = await heading(page);

    for (const shown of [codes.userCode, 'backup on harbour', 'Backup', 'read and change', 'Ada Lovelace', '30 days']) {
      expect(text).toContain(shown);
    }
    expect(asked).toBe('Let “backup on harbour” sign in?');
    const order = ['backup on harbour', 'Ada Lovelace', codes.userCode, 'read and change', 'Deny', 'Details'];
    expect(order.map((part) => atFirst.indexOf(part))).toEqual(
      order.map((part) => atFirst.indexOf(part)).toSorted((a, b) => a - b),
    );
    expect(atFirst).not.toContain('IP address');
    expect([done, focused, after]).toEqual(['Approved', 'approved-heading', 'The program is signed in']);
    expect(said).toBe('');
    expect(body.username).toBe(person.username);
    expect(troubles).toEqual([]);
    await close();
  });

  test.each([
    ['en', 1280, 800],
    ['de', 1280, 800],
    ['en', 1280, 720],
    ['de', 1280, 720],
    ['en', 360, 780],
    ['de', 360, 780],
  ])('the question and both buttons are visible at once (%s, %i × %i)', async (locale, width, height) => {
    const codes = await requestToken(app.client(), key, 'harbour-cli on build-server-7');
    const { page, close } = await openRequest(codes, { locale, viewport: { width, height } });

    for (const part of ['#heading', '.person', '.device-code', '.notice.is-warning', '#deny', '#approve']) {
      const box = await page.locator(part).boundingBox();
      expect((box?.y ?? height) + (box?.height ?? 0), part).toBeLessThanOrEqual(height);
    }
    await close();
  });

  test.each([
    ['en', 20, 'just now', '1 minute ago'],
    ['en', 200, '3 minutes ago', '4 minutes ago'],
    ['de', 200, 'vor 3 Minuten', 'vor 4 Minuten'],
  ])('the age of the request is shown by the clock of the service (%s, %i s)', async (locale, age, words, later) => {
    const codes = await requestToken(app.client(), key);
    app.clock.advance(age * 1000);
    const { page, close } = await openRequest(codes, { locale });
    const time = page.locator('dd > time');

    expect(await time.textContent()).toBe(words);
    expect(await time.getAttribute('title')).toMatch(/\d{4}.*\d:\d\d/);
    await page.evaluate('performance.now = () => 55_000');
    await expect.poll(() => time.textContent(), { timeout: 20_000 }).toBe(later);
    await close();
  });

  test('a denial is shown and cannot be changed', async () => {
    const codes = await requestToken(app.client(), key);
    const { page, close } = await openRequest(codes, { locale: 'de-DE' });

    await page.click('#deny');
    await page.waitForSelector('#denied:not([hidden])');

    expect(await heading(page)).toBe('Abgelehnt');
    expect((await poll(app.client(), codes)).body.status).toBe('denied');
    await close();
  });

  test('a decision that was made elsewhere is shown', async () => {
    const codes = await requestToken(app.client(), key);
    const { page, close } = await openRequest(codes);

    await decide(await app.signIn(person), codes, 'deny');
    await page.click('#approve');
    await page.locator('#approve').waitFor({ state: 'detached' });

    expect(await heading(page)).toBe('This request was denied');
    await close();
  });

  test('a code is accepted as people type it, and an invalid code gets a message', async () => {
    const codes = await requestToken(app.client(), key);
    const { page, close } = await openRequest(codes);
    await page.goto(`${app.url}/authsvc/cli/device`);

    await page.fill('#user-code', 'bcd');
    await page.click('#submit');
    const complaint = await page.locator('#user-code-error').textContent();
    const hint = await page.locator('#user-code-hint:visible').textContent();
    await page.fill('#user-code', codes.userCode.toLowerCase().replace('-', ' '));
    await page.click('#submit');
    await page.waitForSelector('#approve');

    expect([complaint, hint]).toEqual(['This is not a valid code', 'Eight letters, such as BCDF-GHJK.']);
    expect(page.url()).toContain(`/authsvc/cli/device/${codes.userCode}`);
    await close();
  });

  test('an unknown code stays in its field, with the reason beside it', async () => {
    const { page, close } = await openRequest(await requestToken(app.client(), key));
    await page.goto(`${app.url}/authsvc/cli/device`);

    await page.fill('#user-code', 'zzzz zzzz');
    await page.click('#submit');
    await page.waitForURL('**/authsvc/cli/device/ZZZZ-ZZZZ');

    const field = page.locator('#user-code');
    expect(await field.inputValue()).toBe('ZZZZ-ZZZZ');
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(await field.getAttribute('aria-describedby')).toBe('user-code-error user-code-hint');
    expect(await page.locator('#user-code-error:visible').textContent()).toContain('This code is unknown');
    await page.keyboard.type('B');
    expect(await page.locator('#user-code-error:visible').count()).toBe(0);
    await close();
  });

  test('every state can be used by keyboard, by screen reader and on a narrow screen', {
    timeout: 120_000,
  }, async () => {
    const codes = await requestToken(app.client(), key);
    const { page, close } = await openRequest(codes, { viewport: { width: 360, height: 740 } });
    const found: string[] = [];
    const look = async (state: string) => {
      const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze();
      found.push(...violations.map(({ id }) => `${state}: ${id}`));
      const isWide = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');
      if (isWide) found.push(`${state}: wider than the screen`);
    };

    await look('pending');
    await page.emulateMedia({ colorScheme: 'dark' });
    await look('pending, dark');
    await page.goto(`${app.url}/authsvc/cli/device/ZZZZ-ZZZZ`);
    await look('unknown, dark');
    await page.goto(`${app.url}/authsvc/cli/device/${codes.userCode}`);
    await page.focus('#approve');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#approved:not([hidden])');
    await look('approved, dark');

    expect(found).toEqual([]);
    await close();
  });
});
