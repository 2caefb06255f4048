import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, test, vi } from 'vitest';
import { sharedApp } from '../http/support.ts';
import { hasChromium } from '../support/chromium.ts';
import { codeOf, wrongCode } from '../support/totp.ts';
import { sharedBrowser } from './support.ts';

// On a busy machine, a browser is slow.
vi.setConfig({ testTimeout: 90_000 });

describe.skipIf(!hasChromium())('the page that sets up a second factor, in a browser', () => {
  const browser = sharedBrowser();
  const app = sharedApp({
    database: 'sqlite',
    settings: { AUTHSVC_TWO_FA_ENABLE: 'true', SECOND_FACTOR: 'everyone', RATE_LIMITS: 'off', env: 'dev' },
  });

  async function secretOf(page: Page): Promise<string> {
    await page.locator('#qr-code:visible').waitFor();
    return (await page.locator('#key').textContent()) ?? '';
  }

  test('shows the QR code, then the recovery codes to save, and then goes to the destination', async (t) => {
    const user = await app().seedUser();
    const { page } = await browser.visit(t, { url: app().url });
    await page.goto('/authsvc/login?redirect=%2Fauthsvc%2Faccount%2Factivity');
    await page.fill('#username', user.username);
    await page.fill('#password', user.password);
    await page.click('#submit');
    await page.waitForURL('**/authsvc/2fa');

    const secret = await secretOf(page);
    await page.fill('#token', wrongCode(app(), secret));
    await page.locator('#token-error:visible').waitFor();
    const isDrawn = await page.locator('#qr-code').evaluate((picture) => Reflect.get(picture, 'naturalWidth') > 0);
    await page.fill('#token', codeOf(app(), secret));
    await page.locator('#done:visible').waitFor();

    const focused = await page.locator(':focus').getAttribute('id');
    const shown = (await page.locator('#recovery-codes').textContent()) ?? '';
    const saving = page.waitForEvent('download');
    await page.click('#save-codes');
    const saved = await (await saving).path();
    expect(isDrawn).toBe(true);
    expect(shown.split('\n')).toHaveLength(10);
    expect(await readFile(saved, 'utf8')).toBe(`${shown}\n`);
    expect(focused).toBe('done-heading');
    await page.click('#go-on');
    await page.waitForURL('**/authsvc/account/activity');
  });

  test('shows the same code when it is loaded again, and returns to the login page when the sign-in has ended', async (t) => {
    const user = await app().seedUser();
    const { page } = await browser.visit(t, { url: app().url });
    await page.goto('/authsvc/login');
    await page.fill('#username', user.username);
    await page.fill('#password', user.password);
    await page.click('#submit');
    const former = await secretOf(page);

    await page.reload();
    const secret = await secretOf(page);
    app().clock.advance(11 * 60_000);
    await page.fill('#token', codeOf(app(), secret));

    expect(secret).toBe(former);
    await page.waitForURL('**/authsvc/login**');
  });
});
