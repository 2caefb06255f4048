import type { Page } from 'playwright-core';
import { describe, expect, test, vi } from 'vitest';
import { sharedApp } from '../http/support.ts';
import { hasChromium } from '../support/chromium.ts';
import { codeOf, type SecondFactorUser, seedSecondFactorUser, wrongCode } from '../support/totp.ts';
import { sharedBrowser } from './support.ts';

// A browser on a busy machine takes its time.
vi.setConfig({ testTimeout: 90_000 });

describe.skipIf(!hasChromium())('the page of the second step in a browser', () => {
  const browser = sharedBrowser();
  const app = sharedApp({
    database: 'sqlite',
    settings: { AUTHSVC_TWO_FA_ENABLE: 'true', RATE_LIMITS: 'off', env: 'dev' },
  });

  async function openSecondStep(t: Parameters<typeof browser.visit>[0], user: SecondFactorUser): Promise<Page> {
    const { page } = await browser.visit(t, { url: app().url });
    await page.goto('/authsvc/login');
    await page.fill('#username', user.username);
    await page.fill('#password', user.password);
    await page.click('#submit');
    await page.waitForURL('**/authsvc/2fa');
    await page.locator('#recovery:visible').waitFor();
    return page;
  }

  /** Sends a code and gives what is said beside the field, line by line. */
  async function refusal(page: Page, code: string): Promise<string[]> {
    const answered = page.waitForResponse('**/authsvc/api/verify-2fa');
    await page.fill('#token', code);
    await page.click('#submit');
    await answered;
    await page.locator('#token-error:visible').waitFor();
    return page.locator('#token-error > span').allTextContents();
  }

  test('says what to look at after a wrong code of the app, and from the third on how many tries are left', async (t) => {
    const user = await seedSecondFactorUser(app());
    const page = await openSecondStep(t, user);
    const wrong = wrongCode(app(), user.secret);
    const hint = 'Take the newest code; each works once. Check that the clock of your device is right.';

    expect(await refusal(page, wrong)).toEqual(['The code is wrong', hint]);
    expect(await refusal(page, wrong)).toEqual(['The code is wrong', hint]);
    expect(await refusal(page, wrong)).toEqual(['The code is wrong', 'Tries left: 2', hint]);
  });

  test('takes a recovery code, and says of a wrong one nothing of apps and clocks', async (t) => {
    const user = await seedSecondFactorUser(app());
    const page = await openSecondStep(t, user);

    await page.click('#recovery');
    expect(await page.textContent('#token-label')).toBe('Recovery code');
    expect(await page.textContent('#token-hint')).toContain('recovery codes you were given');
    expect(await refusal(page, 'ABCDE-23456')).toEqual([
      'The code is wrong',
      'Check it for typing errors. Each recovery code works once.',
    ]);
    await page.fill('#token', user.recoveryCodes[0]?.toLowerCase() ?? '');
    await page.click('#submit');
    await page.waitForURL('**/authsvc/');
  });

  test('an empty field and a code that is none are told before anything is sent, with the hint still there', async (t) => {
    const page = await openSecondStep(t, await seedSecondFactorUser(app()));
    let sent = 0;
    page.on('request', (request) => {
      if (request.method() === 'POST') sent += 1;
    });

    await page.click('#submit');
    expect(await page.textContent('#token-error')).toBe('Enter the code');
    await page.fill('#token', '12345');
    await page.click('#submit');

    expect(await page.textContent('#token-error')).toBe('This is not a valid code');
    expect(await page.locator('#token-hint:visible').textContent()).toBe('Six digits from the authenticator app.');
    expect(sent).toBe(0);
  });

  test('a whole code goes off by itself once trust is decided', async (t) => {
    const user = await seedSecondFactorUser(app());
    const page = await openSecondStep(t, user);

    await page.check('#trust-device');
    await page.fill('#token', codeOf(app(), user.secret));

    await page.waitForURL('**/authsvc/');
  });
});
