import { describe, expect, type TestContext, test } from 'vitest';
import { setPasswordHash } from '../../src/users/queries.ts';
import { type SocialWorld, startSocialWorld } from '../http/social-support.ts';
import { hasChromium } from '../support/chromium.ts';
import { PASSWORD, type SeededUser } from '../support/start-app.ts';
import { sharedBrowser } from './support.ts';

const UNLINK = 'Disconnect Web SSO';

describe.skipIf(!hasChromium())('the confirmation of a change, in a browser', { timeout: 60_000 }, () => {
  const { visit } = sharedBrowser();

  /** Opens the page of the connections, in a session that is not confirmed. */
  async function openConnections(t: TestContext, prepare?: (ada: SeededUser, world: SocialWorld) => Promise<void>) {
    const world = await startSocialWorld(t, { database: 'sqlite', settings: { RATE_LIMITS: 'off', env: 'dev' } });
    const { app } = world;
    const ada = await world.linkedUser('websso', 'sub-confirmation');
    const { page, expectQuiet } = await visit(t, { url: app.services.baseUrl() });
    const login = (data: object) => page.context().request.post('/authsvc/api/login', { data });
    await login({ username: ada.username, password: PASSWORD });
    app.clock.advance(11 * 60_000);
    await prepare?.(ada, world);
    await page.goto('/authsvc/account/connections');
    return { page, expectQuiet, ada, world };
  }

  test('asks for the password in a dialog, and then makes the same change', async (t) => {
    const { page, expectQuiet } = await openConnections(t);

    await page.getByLabel(UNLINK).click();
    await page.getByRole('button', { name: 'Disconnect', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByText('Something is missing').waitFor();
    await dialog.getByLabel('Your password').fill('wrong-horse-1');
    await page.keyboard.press('Enter');
    await dialog.locator('#confirmation-password-error:visible').waitFor();
    await dialog.getByLabel('Your password').fill(PASSWORD);
    await page.keyboard.press('Enter');

    await page.waitForURL('**/connections?done=unlinked');
    await page.getByText('The account was disconnected.').waitFor();
    expectQuiet([/status of 403/]);
  });

  test('changes nothing if the person closes the dialog', async (t) => {
    const { page } = await openConnections(t);

    await page.getByLabel(UNLINK).click();
    await page.getByRole('button', { name: 'Disconnect', exact: true }).click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');

    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.reload();
    expect(await page.getByText('sub-confirmation').count()).toBe(1);
  });

  test('lets a user without a password sign in again in another tab and continue in this one', async (t) => {
    const { page, world } = await openConnections(t, async (ada, { app }) => {
      await setPasswordHash.run(app.services.database, { id: ada.id, hash: '' });
    });

    await page.getByLabel('Connect Codehost').click();
    const opened = page.context().waitForEvent('page');
    await page.getByRole('dialog').getByRole('link', { name: 'Sign in again through Web SSO' }).click();
    const tab = await opened;
    await tab.getByPlaceholder('Enter any login').fill('sub-confirmation');
    await tab.getByPlaceholder('and password').fill('any');
    await tab.getByRole('button', { name: 'Sign-in' }).click();
    await tab.getByRole('button', { name: 'Continue' }).click();
    await tab.waitForURL('**/authsvc/account');
    await tab.close();
    const leaving = page.waitForRequest((request) =>
      request.url().startsWith(world.codehost.settings.CODEHOST_AUTHORIZATION_URL ?? 'none'),
    );
    await page.getByRole('dialog').getByRole('button', { name: 'Continue' }).click();

    expect((await leaving).url()).toContain('state=');
  });
});
