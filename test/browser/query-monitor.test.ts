import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest';
import { sharedApp } from '../http/support.ts';
import { hasChromium, launchBrowser } from '../support/chromium.ts';
import { whileSessionsAreAway } from '../support/table-away.ts';

const PATIENCE = { timeout: 15_000 };
const SHOWN = `[...document.querySelectorAll('[data-query]')].filter((row) => !row.hidden)`;

describe.skipIf(!hasChromium())('the query monitor in a browser', () => {
  const app = sharedApp({ database: 'sqlite', settings: { env: 'dev', dbLogs: 'true', RATE_LIMITS: 'off' } });
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  /** Opens the monitor after one sign-in and one page visit by that user. */
  async function openMonitor(t: TestContext): Promise<Page> {
    await app().client().post('/authsvc/db/reset');
    const client = await app().signIn(await app().seedUser());
    await client.page('/authsvc/test');
    const context = await browser.newContext({ locale: 'en' });
    context.setDefaultTimeout(15_000);
    t.onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(`${app().url}/authsvc/db`);
    await page.locator('#tools:visible').waitFor();
    return page;
  }
  const names = (page: Page) =>
    page.evaluate<string[]>(`${SHOWN}.map((row) => row.querySelector('.query-name code').textContent)`);
  const numbers = (page: Page, key: string) =>
    page.evaluate<number[]>(`${SHOWN}.map((row) => Number(row.dataset.${key}))`);
  const fact = (page: Page, name: string) =>
    page.locator('.monitor-facts > div', { hasText: name }).locator('dd').textContent();

  test('the filter searches the name, SQL, path and place in the code', async (t) => {
    const page = await openMonitor(t);

    for (const [words, found] of [
      ['sessions.insert', ['sessions.insert']],
      ['INSERT into "sessions"', ['sessions.insert']],
      ['start-session.ts insert', ['sessions.insert']],
      ['get /authsvc/test', ['sessions.live']],
      ['no such words', []],
    ] as const) {
      await page.locator('#filter').fill(words);
      expect(await names(page), words).toEqual(found);
    }
    expect(await page.locator('#none').isVisible()).toBe(true);
    expect(await page.locator('#found').textContent()).toMatch(/^0 of \d+ queries$/);
  });

  test('the slowest queries come first if the person selects that, else the newest', async (t) => {
    const page = await openMonitor(t);
    const byNumber = await numbers(page, 'number');
    await page.locator('#slowest').click();
    const byDuration = await numbers(page, 'ms');
    await page.locator('#slowest').click();

    expect(byNumber).toEqual(byNumber.toSorted((a, b) => b - a));
    expect(byDuration).toEqual(byDuration.toSorted((a, b) => b - a));
    expect(await numbers(page, 'number')).toEqual(byNumber);
  });

  test('if the person selects failures, only queries that failed are listed', async (t) => {
    const page = await openMonitor(t);
    const loaded = (await names(page)).length;
    await page.locator('#failures').click();
    expect(await names(page)).toEqual([]);
    expect(await fact(page, 'Listed')).toBe(String(loaded));
    expect(await page.locator('#found').textContent()).toBe(`0 of ${loaded} queries`);
    const client = app().client();
    client.jar.set('session_id', (await app().signIn(await app().seedUser())).jar.get('session_id') ?? '');
    await whileSessionsAreAway(app(), () => client.get('/authsvc/api/checkSession'));

    await page.locator('.badge-danger').first().waitFor();
    expect(await fact(page, 'Failed')).toBe('1');
    expect(await fact(page, 'Slowest')).toMatch(/^\d+(\.\d+)? ms$/);
    expect(await page.locator('.request:visible code').allTextContents()).toEqual(['GET /authsvc/api/checkSession']);

    expect(await names(page)).toEqual(['sessions.live']);
  });

  test('a request can be selected and deselected', async (t) => {
    const page = await openMonitor(t);
    const all = (await names(page)).length;
    const button = page.locator('.request', { hasText: 'POST /authsvc/api/login' });
    await button.click();

    expect(await button.getAttribute('aria-pressed')).toBe('true');
    const shown = (await names(page)).length;
    expect(await button.textContent()).toContain(`${shown} queries`);
    expect(shown).toBeLessThan(all);
    await button.click();
    expect((await names(page)).length).toBe(all);
  });

  test('new queries appear by themselves, and open ones stay open', async (t) => {
    const page = await openMonitor(t);
    await page.locator('summary', { hasText: 'sessions.insert' }).click();
    const before = (await numbers(page, 'number'))[0];
    await app().client().login({ username: 'nobody', password: 'wrong-horse-7' });

    await expect.poll(async () => (await numbers(page, 'number'))[0], PATIENCE).not.toBe(before);

    expect(await page.locator('details[open]').count()).toBe(1);
    expect(await page.locator('details[open] .query-name').textContent()).toContain('sessions.insert');
    expect(await page.evaluate("document.activeElement.closest('[data-query]') !== null")).toBe(true);
  });

  test('while the monitor is paused nothing moves, and the button says how to resume', async (t) => {
    const page = await openMonitor(t);
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    const before = await numbers(page, 'number');
    await app().client().login({ username: 'nobody', password: 'wrong-horse-7' });
    await page.waitForTimeout(2500);

    expect(await numbers(page, 'number')).toEqual(before);
    await page.getByRole('button', { name: 'Resume', exact: true }).click();
    await expect.poll(async () => (await numbers(page, 'number')).length, PATIENCE).toBeGreaterThan(before.length);
  });

  test('a reset empties the log and says so once', async (t) => {
    const page = await openMonitor(t);
    const notice = page.locator('.monitor-notice[role=status]');

    await page.locator('#reset').click();
    await notice.waitFor();
    const shown = await names(page);
    const said = await notice.textContent();
    await page.waitForURL('**/authsvc/db?limit=50');
    await page.reload();
    await page.locator('#tools:visible').waitFor();

    expect(shown).toEqual([]);
    expect(said).toContain('The query log was reset.');
    expect(await notice.count()).toBe(0);
  });
});
