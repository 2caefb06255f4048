import type { Page } from 'playwright-core';
import { describe, expect, type TestContext, test } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import { PASSWORD, type SeededUser, startApp } from '../support/start-app.ts';
import { addAuthenticator } from '../support/virtual-authenticator.ts';
import { sharedBrowser } from './support.ts';

const PAGE = '/authsvc/account/passkeys';

describe.skipIf(!hasChromium())('passkeys in a browser', { timeout: 120_000 }, () => {
  const { visit } = sharedBrowser();

  async function open(t: TestContext) {
    const app = await startApp(t, { database: 'sqlite', settings: { RATE_LIMITS: 'off', env: 'dev' } });
    const { page, expectQuiet } = await visit(t, { url: app.services.baseUrl() });
    await page.goto('/authsvc/login');
    const authenticator = await addAuthenticator(page);
    return { app, page, expectQuiet, authenticator, ada: await app.seedUser() };
  }

  const signIn = (page: Page, { username }: SeededUser) =>
    page.context().request.post('/authsvc/api/login', { data: { username, password: PASSWORD } });

  async function addPasskey(page: Page): Promise<void> {
    await page.goto(PAGE);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.waitForURL(`**${PAGE}?done=passkeyAdded`);
  }

  /**
   * Signs in with the button. The browser pretends that it cannot suggest passkeys in a field, because a virtual
   * authenticator would answer that suggestion at once.
   */
  async function useButton(page: Page): Promise<void> {
    await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false');
    await page.context().clearCookies({ name: 'session_id' });
    await page.goto('/authsvc/login?redirect=%2Fauthsvc%2Faccount%2Fpasskeys');
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  }

  test('a passkey is created on its page, signs in by the button, and is removed', async (t) => {
    const { page, authenticator, ada, expectQuiet } = await open(t);
    await signIn(page, ada);

    await addPasskey(page);
    expect(await page.getByText('The passkey was added.').count()).toBe(1);
    expect(await authenticator.credentials()).toHaveLength(1);
    await useButton(page);
    await page.waitForURL(`**${PAGE}`);
    await page.getByLabel(/^Remove/).click();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();

    await page.waitForURL(`**${PAGE}?done=passkeyRemoved`);
    await page.getByText('No passkeys').waitFor();
    expectQuiet();
    await useButton(page);
    await page.getByText('Your passkey was not accepted').waitFor();
  });

  test('the area that opens for a button appears below all buttons, and moves no button', async (t) => {
    const { page, ada } = await open(t);
    await signIn(page, ada);
    await addPasskey(page);
    const buttons = () =>
      Promise.all(['Rename', 'Remove'].map((name) => page.locator('summary', { hasText: name }).boundingBox()));
    const before = await buttons();

    await page.getByLabel(/^Remove/).click();
    const explained = page.getByText('You can then no longer sign in with it.');
    await explained.waitFor();

    expect(await buttons()).toEqual(before);
    expect((await explained.boundingBox())?.y).toBeGreaterThan(before[0]?.y ?? Number.NaN);
    await page.getByLabel(/^Rename/).click();
    await page.getByLabel('Name', { exact: true }).waitFor();
    expect(await buttons()).toEqual(before);
  });

  test('the browser offers a passkey in the list of the name field, and the passkey signs in', async (t) => {
    const { page, ada } = await open(t);
    await signIn(page, ada);
    await addPasskey(page);
    await page.context().clearCookies({ name: 'session_id' });

    await page.goto('/authsvc/login?redirect=%2Fauthsvc%2Faccount%2Fpasskeys');

    await page.waitForURL(`**${PAGE}`);
    expect(await page.getByText('Passkeys').count()).toBeGreaterThan(0);
  });

  test('a copied passkey whose counter is behind is refused', async (t) => {
    const { page, authenticator, ada } = await open(t);
    await signIn(page, ada);
    await addPasskey(page);
    await authenticator.replace({ signCount: 0 });

    await useButton(page);

    await page.getByText('Your passkey was not accepted').waitFor();
  });

  /** Changes the options that the service sends to the authenticators of the browser. */
  async function changeQuestion(page: Page, change: object): Promise<void> {
    await page.route('**/authsvc/api/passkey/options', async (route) => {
      const reply = await route.fetch();
      const { options, ...rest } = await reply.json();
      await route.fulfill({ response: reply, json: { ...rest, options: { ...options, ...change } } });
    });
  }

  test('a passkey for another RP id is not used, and the page says so', async (t) => {
    const { page, authenticator, ada } = await open(t);
    await signIn(page, ada);
    await addPasskey(page);
    await authenticator.replace({ rpId: 'other.localhost' });

    await useButton(page);

    await page.getByText('No passkey was used').waitFor();
    expect(await page.locator('#passkey').getAttribute('aria-disabled')).toBe('false');
  });

  test('the browser refuses an RP id of another site, and the page says so', async (t) => {
    const { page, ada } = await open(t);
    await signIn(page, ada);
    await addPasskey(page);
    await changeQuestion(page, { rpId: 'other.example' });

    await useButton(page);

    await page.getByText('Passkeys do not work in this browser at this address').waitFor();
  });

  test('after a timeout the person can try again', async (t) => {
    const { page, authenticator, ada } = await open(t);
    await signIn(page, ada);
    await addPasskey(page);
    await authenticator.setPresent(false);
    await changeQuestion(page, { timeout: 1000 });

    await useButton(page);
    await page.getByText('No passkey was used').waitFor({ timeout: 60_000 });
    await authenticator.setPresent(true);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();

    await page.waitForURL(`**${PAGE}`);
  });

  test('a user whom the authenticator does not recognize creates no passkey, and the page says so', async (t) => {
    const { page, authenticator, ada } = await open(t);
    await signIn(page, ada);
    await authenticator.setVerified(false);

    await page.goto(PAGE);
    await page.getByRole('button', { name: 'Add a passkey' }).click();

    await page.getByText('No passkey was created').waitFor();
    expect(await authenticator.credentials()).toEqual([]);
  });

  test('a passkey can confirm a change in the dialog', async (t) => {
    const { app, page, ada } = await open(t);
    await signIn(page, ada);
    await addPasskey(page);
    app.clock.advance(11 * 60_000);

    await page.goto(PAGE);
    await page.getByLabel(/^Rename/).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('My phone');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Use your passkey' }).click();

    await page.waitForURL(`**${PAGE}?done=passkeyRenamed`);
    expect(await page.getByRole('heading', { name: 'My phone' }).count()).toBe(1);
  });

  test('two users in one browser each have their own passkeys', async (t) => {
    const { app, page, authenticator, ada } = await open(t);
    const grace = await app.seedUser();
    for (const user of [ada, grace]) {
      await signIn(page, user);
      await addPasskey(page);
    }

    expect(await authenticator.credentials()).toHaveLength(2);
    expect(await page.getByLabel(/^Rename/).count()).toBe(1);
  });
});
