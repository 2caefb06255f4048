import type { Page } from 'playwright-core';
import { describe, expect, type TestContext, test } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import { PASSWORD, type SeededUser, startApp } from '../support/start-app.ts';
import { sharedBrowser } from './support.ts';

const PAGE = '/authsvc/account/passkeys';

/** An authenticator of the browser, which answers at once. */
async function addAuthenticator(page: Page) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    /** Whether its owner is recognised. */
    setVerified: (isUserVerified: boolean) => cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
    credentials: async () => (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials,
    /** Puts a copy of its one key in the place of it, which has signed this often. */
    replace: async (signCount: number) => {
      const [credential] = (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials;
      if (!credential) throw new Error('the authenticator has no key');
      await cdp.send('WebAuthn.removeCredential', { authenticatorId, credentialId: credential.credentialId });
      await cdp.send('WebAuthn.addCredential', { authenticatorId, credential: { ...credential, signCount } });
    },
  };
}

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

  /** In a browser that cannot offer passkeys in the list of a field: a virtual authenticator would answer that at once. */
  async function useButton(page: Page): Promise<void> {
    await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false');
    await page.context().clearCookies({ name: 'session_id' });
    await page.goto('/authsvc/login?redirect=%2Fauthsvc%2Faccount%2Fpasskeys');
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  }

  test('one is created on its page, signs in by the button, and is removed', async (t) => {
    const { page, authenticator, ada, expectQuiet } = await open(t);
    await signIn(page, ada);

    await addPasskey(page);
    expect(await page.getByText('The passkey is added.').count()).toBe(1);
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

  test('the list of the name field offers it, and it signs in', async (t) => {
    const { page, ada } = await open(t);
    await signIn(page, ada);
    await addPasskey(page);
    await page.context().clearCookies({ name: 'session_id' });

    await page.goto('/authsvc/login?redirect=%2Fauthsvc%2Faccount%2Fpasskeys');

    await page.waitForURL(`**${PAGE}`);
    expect(await page.getByText('Passkeys').count()).toBeGreaterThan(0);
  });

  test('a copy whose counter is behind is refused', async (t) => {
    const { page, authenticator, ada } = await open(t);
    await signIn(page, ada);
    await addPasskey(page);
    await authenticator.replace(0);

    await useButton(page);

    await page.getByText('Your passkey was not accepted').waitFor();
  });

  test('a user whom the authenticator does not recognise creates none, and the page says so', async (t) => {
    const { page, authenticator, ada } = await open(t);
    await signIn(page, ada);
    await authenticator.setVerified(false);

    await page.goto(PAGE);
    await page.getByRole('button', { name: 'Add a passkey' }).click();

    await page.getByText('No passkey was created').waitFor();
    expect(await authenticator.credentials()).toEqual([]);
  });

  test('where a confirmation is due, a passkey confirms in place', async (t) => {
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

  test('two users in one browser each have their own', async (t) => {
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
