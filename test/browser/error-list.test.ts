import type { Page } from 'playwright-core';
import { describe, expect, test, vi } from 'vitest';
import { sharedApp } from '../http/support.ts';
import { hasChromium } from '../support/chromium.ts';
import { sharedBrowser } from './support.ts';

// On a busy machine, a browser is slow.
vi.setConfig({ testTimeout: 90_000 });

const PHONE = { width: 360, height: 740 };
const DESK = { width: 1280, height: 900 };

/** Returns the open categories, by the first number of their range. */
const openOnes = (page: Page) =>
  page.evaluate<string[]>(
    "[...document.querySelectorAll('[data-category]:not([hidden]) > details[open] > summary > .number')].map((range) => range.textContent.slice(0, 4).replace('–', ''))",
  );

describe.skipIf(!hasChromium())('the list of error codes in a browser', () => {
  const browser = sharedBrowser();
  const app = sharedApp({ database: 'sqlite', settings: { env: 'dev', RATE_LIMITS: 'off' } });

  async function openList(t: Parameters<typeof browser.visit>[0], viewport: typeof PHONE, hash = '') {
    const { page } = await browser.visit(t, { url: app().url, viewport });
    await page.goto(`/authsvc/ErrorCode${hash}`);
    await page.locator('#search:visible').waitFor();
    return page;
  }

  test('on a phone shows only the list of categories, and on a desktop all errors beside it', async (t) => {
    const page = await openList(t, PHONE);
    const onPhone = await openOnes(page);
    await page.locator('summary').nth(1).click();
    const chosen = await openOnes(page);
    await page.setViewportSize(DESK);
    await expect.poll(() => openOnes(page)).toHaveLength(8);

    expect(onPhone).toEqual([]);
    expect(chosen).toEqual(['700']);
  });

  test('also finds an error by the message that pages show', async (t) => {
    const page = await openList(t, DESK);
    const found = async (words: string) => {
      await page.locator('#query').fill(words);
      return page.locator('[data-entry]:visible h3').allTextContents();
    };

    expect(await found('the code is incorrect')).toContain('SECOND_STEP_CODE_INCORRECT');
    expect(await found('this code is unknown')).toEqual(['USER_CODE_UNKNOWN', 'DEVICE_CODE_UNKNOWN']);
    expect(await found('something went wrong on our side')).toContain('INTERNAL_ERROR');
    expect(await found('not linked to an account here')).toEqual(['PROVIDER_ACCOUNT_NOT_LINKED']);
  });

  test('a URL with an error code opens its category and shows it, at the start and later', async (t) => {
    const page = await openList(t, PHONE, '#CSRF_INVALID');
    const entry = (name: string) => page.locator(`#${name}`);

    expect(await openOnes(page)).toEqual(['900']);
    await expect
      .poll(() => page.evaluate("document.getElementById('CSRF_INVALID').getBoundingClientRect().top < innerHeight"))
      .toBe(true);
    await page.locator('#query').fill('session');
    await page.evaluate("location.hash = '#NOT_FOUND'");
    await entry('NOT_FOUND').waitFor();
    expect(await page.inputValue('#query')).toBe('');
    expect(await openOnes(page)).toEqual(['900', '1200']);
  });

  test('a search opens the categories with matches, and clearing it restores the open category', async (t) => {
    const page = await openList(t, PHONE);
    await page.locator('summary').nth(6).click();

    await page.locator('#query').fill('csrf');
    const found = await openOnes(page);
    const shown = await page.locator('[data-entry]:visible').count();
    await page.locator('#query').fill('');

    expect(found).toEqual(['900']);
    expect(shown).toBeGreaterThan(0);
    expect(await openOnes(page)).toEqual(['1200']);
  });

  test('without a script all categories are open', async (t) => {
    const { page } = await browser.visit(t, { url: app().url, viewport: PHONE, javaScriptEnabled: false });
    await page.goto('/authsvc/ErrorCode');

    expect(await page.locator('[data-entry]:visible').count()).toBe(await page.locator('[data-entry]').count());
  });
});
