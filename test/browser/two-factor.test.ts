import type { Page } from 'playwright-core';
import { describe, expect, test, vi } from 'vitest';
import { sharedApp } from '../http/support.ts';
import { hasChromium } from '../support/chromium.ts';
import { codeOf, type SecondFactorUser, seedSecondFactorUser, wrongCode, wrongCodes } from '../support/totp.ts';
import { sharedBrowser } from './support.ts';

// On a busy machine, a browser is slow.
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

  /** Enters a code and returns the lines of the message below the field. The page submits six digits by itself. */
  async function refusal(page: Page, code: string): Promise<string[]> {
    const answered = page.waitForResponse('**/authsvc/api/verify-2fa');
    await page.fill('#token', code);
    if (code.length > 6) await page.click('#submit');
    await answered;
    await page.locator('#token-error:visible').waitFor();
    return page.locator('#token-error > span').allTextContents();
  }

  test('after a wrong code of the app the page says what to check, and from the third on also how many tries are left', async (t) => {
    const user = await seedSecondFactorUser(app());
    const page = await openSecondStep(t, user);
    const [first = '', second = '', third = ''] = wrongCodes(app(), user.secret);
    const hint = "Enter the latest code from your app. If it keeps failing, check your device's clock.";

    expect(await refusal(page, first)).toEqual(['The code is incorrect', hint]);
    expect(await refusal(page, second)).toEqual(['The code is incorrect', hint]);
    expect(await refusal(page, third)).toEqual(['The code is incorrect', '2 tries left', hint]);
  });

  test('each of two tabs stays with its own sign-in, even after a reload', async (t) => {
    const [carol, cate] = [await seedSecondFactorUser(app()), await seedSecondFactorUser(app())];
    const first = await openSecondStep(t, carol);
    const second = await first.context().newPage();
    await second.goto('/authsvc/login');
    await second.fill('#username', cate.username);
    await second.fill('#password', cate.password);
    await second.click('#submit');
    await second.locator('#recovery:visible').waitFor();

    await first.reload();
    await first.getByText(`to sign in as ${carol.username}`).waitFor();
    await first.fill('#token', codeOf(app(), carol.secret));
    await first.waitForURL('**/authsvc/');
    await second.fill('#token', codeOf(app(), cate.secret));
    await second.waitForURL('**/authsvc/');

    expect(await first.textContent('body')).toContain(carol.username);
    expect(await second.textContent('body')).toContain(cate.username);
  });

  test('accepts a recovery code, and says nothing about apps and clocks if it is wrong', async (t) => {
    const user = await seedSecondFactorUser(app());
    const page = await openSecondStep(t, user);

    await page.click('#recovery');
    expect(await page.textContent('#token-label')).toBe('Recovery code');
    expect(await page.textContent('#token-hint')).toContain('recovery codes that you saved');
    expect(await refusal(page, 'ABCDE-23456')).toEqual([
      'The code is incorrect',
      'Check it for typing errors. Each recovery code works once.',
    ]);
    await page.fill('#token', user.recoveryCodes[0]?.toLowerCase() ?? '');
    await page.click('#submit');
    await page.waitForURL('**/authsvc/');
  });

  test('an empty field and an invalid code are reported before any request is sent, with the hint still visible', async (t) => {
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
    expect(await page.locator('#token-hint:visible').textContent()).toContain(
      'Six digits from your authenticator app.',
    );
    expect(sent).toBe(0);
  });

  test.for([true, false])(
    'six digits are submitted automatically (browser to be trusted: %s)',
    async (isTrusted, t) => {
      const user = await seedSecondFactorUser(app());
      const page = await openSecondStep(t, user);

      await page.setChecked('#trust-device', isTrusted);
      await page.locator('#token').pressSequentially(codeOf(app(), user.secret));

      await page.waitForURL('**/authsvc/');
      const cookies = (await page.context().cookies()).map(({ name }) => name);
      expect(cookies.some((name) => name.includes('trust'))).toBe(isTrusted);
    },
  );

  test('an error that appears does not move the field above it, and typing moves nothing', async (t) => {
    const user = await seedSecondFactorUser(app());
    const page = await openSecondStep(t, user);
    const tops = () =>
      page.evaluate<number[]>(
        `['.card', '#token', '#submit'].map((part) => document.querySelector(part).getBoundingClientRect().top)`,
      );
    const before = await tops();

    await refusal(page, wrongCode(app(), user.secret));
    const refused = await tops();
    await page.locator('#token').press('1');
    await page.locator('#token-error:visible').waitFor({ state: 'detached' });

    expect(refused.slice(0, 2)).toEqual(before.slice(0, 2));
    expect(await tops()).toEqual(refused);
  });
});
