import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { describe, expect, type TestContext, test, vi } from 'vitest';
import { addApplication } from '../../src/applications/add-application.ts';
import { parseEmail } from '../../src/lib/email-address.ts';
import { changeUser } from '../../src/users/change-user.ts';
import { offerReset } from '../../src/welcome/offer-link.ts';
import { sharedApp } from '../http/support.ts';
import { hasChromium } from '../support/chromium.ts';
import { requestToken, seedProfile } from '../support/device-login.ts';
import { startMailServer } from '../support/mail-server.ts';
import { requestOf } from '../support/relying-party.ts';
import { PASSWORD, type SeededUser, startApp, type TestApp } from '../support/start-app.ts';
import { codeOf, seedSecondFactorUser, wrongCode } from '../support/totp.ts';
import { pathOf, sharedBrowser } from './support.ts';

// On a busy machine, a browser is slow.
vi.setConfig({ testTimeout: 120_000 });

const common = { RATE_LIMITS: 'off', env: 'dev' };

describe.skipIf(!hasChromium())('pages without scripts, in a browser', () => {
  const browser = sharedBrowser();
  const app = sharedApp({ database: 'sqlite', settings: { ...common, AUTHSVC_TWO_FA_ENABLE: 'true' } });

  async function open(t: TestContext, path: string, service: TestApp = app()): Promise<Page> {
    const { page } = await browser.visit(t, { url: service.url, javaScriptEnabled: false });
    await page.goto(path);
    return page;
  }
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
  async function signIn(page: Page, { username, password }: Pick<SeededUser, 'username' | 'password'>): Promise<void> {
    await page.getByLabel('Username').fill(username);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await press(page, 'Sign in');
  }
  const ACTIVITY = '/authsvc/account/activity';
  const LOGIN = `/authsvc/login?redirect=${encodeURIComponent(ACTIVITY)}`;

  /** Starts an application with an origin of its own. */
  async function startApplication(t: TestContext): Promise<string> {
    const server = createServer((_request, response) => response.end('<title>The application</title>'));
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    t.onTestFinished(() => new Promise<void>((closed) => server.close(() => closed())));
    const address: AddressInfo | string | null = server.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  }

  test('login: a wrong password is refused below its field, and the right one signs in', async (t) => {
    const user = await app().seedUser();
    const page = await open(t, LOGIN);

    await signIn(page, { ...user, password: 'wrong-horse-1' });
    await page.locator('#password-error:visible').waitFor();
    expect(await page.getByLabel('Username').inputValue()).toBe(user.username);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await press(page, 'Sign in');

    await page.waitForURL(`**${ACTIVITY}`);
  });

  test('login: the browser goes on to an application at another origin, also by OpenID Connect', async (t) => {
    const url = await startApplication(t);
    const fields = { key: 'portal', name: 'Portal', urls: [url], redirectUris: [`${url}/cb`] };
    await addApplication(app().change(), app().services.settings, fields);
    const user = await app().seedUser({ apps: ['authsvc', 'portal'] });

    const page = await open(t, `/authsvc/login?redirect=${encodeURIComponent(`${url}/start?a=1`)}`);
    await page.getByText('to continue to Portal').waitFor();
    await signIn(page, user);
    await page.waitForURL(`${url}/start?a=1`);

    const other = await open(t, '/authsvc/login');
    const request = requestOf({ key: 'portal', secret: '' }, { redirect_uri: `${url}/cb` });
    await other.goto(`/authsvc/oidc/authorize?${new URLSearchParams(request)}`);
    await signIn(other, user);
    await other.waitForURL(`${url}/cb?*`);
  });

  test('second step: a wrong code is refused, then a recovery code signs in', async (t) => {
    const user = await seedSecondFactorUser(app());
    const page = await open(t, LOGIN);
    await signIn(page, user);
    await page.waitForURL('**/authsvc/2fa');

    await page.locator('#token').fill(wrongCode(app(), user.secret));
    await press(page, 'Verify');
    await page.locator('#token-error:visible').waitFor();
    await page.getByRole('link', { name: 'Use a recovery code' }).click();
    await page.getByLabel('Recovery code', { exact: true }).fill(user.recoveryCodes[0] ?? '');
    await press(page, 'Verify');

    await page.waitForURL(`**${ACTIVITY}`);
  });

  test('enrolment at the sign-in: shows the QR code, refuses a wrong code, then shows the recovery codes', async (t) => {
    const settings = { ...common, AUTHSVC_TWO_FA_ENABLE: 'true', SECOND_FACTOR: 'everyone' };
    const service = await startApp(t, { database: 'sqlite', settings });
    const page = await open(t, LOGIN, service);
    await signIn(page, await service.seedUser());

    await press(page, 'Show the QR code');
    await page.locator('#qr-code:visible').waitFor();
    const secret = (await page.locator('#key').textContent()) ?? '';
    await page.locator('#token').fill(wrongCode(service, secret));
    await press(page, 'Verify and sign in');
    await page.locator('#token-error:visible').waitFor();
    await page.locator('#token').fill(codeOf(service, secret));
    await press(page, 'Verify and sign in');
    await page.locator('#recovery-codes:visible').waitFor();

    expect(((await page.locator('#recovery-codes').textContent()) ?? '').split('\n')).toHaveLength(10);
    await page.getByRole('link', { name: 'I saved the codes' }).click();
    await page.waitForURL(`**${ACTIVITY}`);
  });

  test('an enrolment over the rate limit shows when to try again, and then it can begin', async (t) => {
    const settings = { AUTHSVC_TWO_FA_ENABLE: 'true', SECOND_FACTOR: 'everyone', RATE_LIMITS: 'account-change=1/60s' };
    const service = await startApp(t, { database: 'sqlite', settings });
    const page = await open(t, LOGIN, service);
    await signIn(page, await service.seedUser());
    await press(page, 'Show the QR code');
    await page.locator('#qr-code:visible').waitFor();

    const other = await open(t, LOGIN, service);
    await signIn(other, await service.seedUser());
    await press(other, 'Show the QR code');
    await other.getByRole('alert').filter({ hasText: 'You can try again in', visible: true }).waitFor();
    service.clock.advance(61_000);
    await press(other, 'Show the QR code');

    await other.locator('#qr-code:visible').waitFor();
  });

  test('the mailed link for a forgotten password works, and then the link of a new e-mail address', async (t) => {
    const server = await startMailServer();
    t.onTestFinished(server.close);
    const service = await startApp(t, { database: 'sqlite', settings: { ...common, ...server.settings } });
    const user = await service.seedUser();
    await changeUser(service.change(), user.username, { email: parseEmail('ada@box.test') });
    const linkIn = (part: string) =>
      vi.waitFor(
        () => {
          const text = server.mails.map((mail) => mail.text).find((one) => one.includes(part)) ?? '';
          return new RegExp(`${part}[\\w-]+`).exec(text)?.[0] ?? expect.fail('no mail yet');
        },
        { timeout: 60_000, interval: 50 },
      );

    const page = await open(t, '/authsvc/forgot', service);
    await press(page, 'Send link');
    await page.locator('#username-error:visible').waitFor();
    await page.locator('#username').fill('ada@box.test');
    await press(page, 'Send link');
    await page.getByText('Check your mailbox').waitFor();
    await page.goto(await linkIn('/authsvc/welcome/'));
    await page.locator('#new-password').fill('short');
    await page.locator('#submit').click();
    await page.locator('#new-password-error:visible').waitFor();
    await page.locator('#new-password').fill('another-horse-8');
    await page.locator('#submit').click();
    await page.waitForURL('**/authsvc/');

    await page.goto('/authsvc/account');
    await page.locator('#email').fill('ada@new.test');
    await page
      .locator('form', { has: page.locator('#email') })
      .getByRole('button')
      .click();
    await page.waitForURL('**/authsvc/account?done=emailOffered');
    await page.goto(await linkIn('/authsvc/email/'));
    await page.locator('#submit').click();
    await page.getByText('ada@new.test').first().waitFor();
  });

  test('the page of a mailed link, over the rate limit, keeps its form and says when to try again; then the form works', async (t) => {
    const settings = { RATE_LIMITS: 'account-secret=1/60s' };
    const service = await startApp(t, { database: 'sqlite', settings });
    const { clock, services, change } = service;
    const needs = { ...services, ...change(), baseUrl: services.baseUrl() };
    const wish = { user: await service.seedUser(), hours: 2, removesFactor: false, isSent: false };
    const { link } = await offerReset(needs, wish);
    const page = await open(t, new URL(link ?? '').pathname, service);
    const send = async (password: string) => {
      await page.locator('#new-password').fill(password);
      await page.locator('#submit').click();
    };

    await send('password');
    await page.locator('#new-password-error:visible').waitFor();
    await send('another-horse-8');
    await page.locator('#form-error:visible').getByText('You can try again in').waitFor();
    expect(await page.locator('#new-password').inputValue()).toBe('');
    clock.advance(61_000);
    await send('another-horse-8');

    await page.waitForURL('**/authsvc/');
  });

  test('device login: the person types the code of a program and approves it', async (t) => {
    const { key } = await seedProfile(app());
    const codes = await requestToken(app().client(), key);
    const page = await open(t, '/authsvc/login');
    await signIn(page, await app().seedUser());

    await page.goto('/authsvc/cli/device');
    await page.locator('#user-code').fill(codes.userCode);
    await page.locator('#submit').click();
    await press(page, 'Approve');

    await page.getByRole('heading', { name: 'This request was approved' }).waitFor();
  });

  test('consent: the person agrees, and the browser returns to the third-party application with a code', async (t) => {
    const url = await startApplication(t);
    const fields = { key: 'guest', name: 'Guest', redirectUris: [`${url}/cb`], isThirdParty: true };
    await addApplication(app().change(), app().services.settings, fields);
    const page = await open(t, '/authsvc/login');
    await signIn(page, await app().seedUser({ apps: ['authsvc', 'guest'] }));

    const request = requestOf({ key: 'guest', secret: '' }, { redirect_uri: `${url}/cb` });
    await page.goto(`/authsvc/oidc/authorize?${new URLSearchParams(request)}`);
    await page.locator('button[value="approve"]').click();

    await page.waitForURL(`${url}/cb?code=*`);
  });

  test('accounts: the person switches, signs out of one, and signs out of all', async (t) => {
    const [ada, bea] = [await app().seedUser(), await app().seedUser()];
    const page = await open(t, '/authsvc/login');
    await signIn(page, ada);
    await page.goto('/authsvc/login?add=1');
    await signIn(page, bea);
    const accounts = `/authsvc/accounts?redirect=${encodeURIComponent(ACTIVITY)}`;

    await page.goto(accounts);
    await page.locator('[data-switch]').click();
    await page.waitForURL(`**${ACTIVITY}`);
    await page.goto('/authsvc/account');
    await page.getByText(ada.username).first().waitFor();
    await page.goto(accounts);
    await page.locator('#logout').click();
    await page
      .getByRole('button', { name: /^Sign out/ })
      .first()
      .click();
    await page.waitForURL('**/authsvc/login');
    await page.goto(accounts);
    await page.locator('#logout-all').click();
    await page.waitForURL('**/authsvc/login');
    await page.goto(accounts);
    expect(pathOf(page)).toBe('/authsvc/login');
  });

  test('the session page signs the person out', async (t) => {
    const page = await open(t, '/authsvc/login?redirect=%2Fauthsvc%2Ftest');
    await signIn(page, await app().seedUser());
    await page.waitForURL('**/authsvc/test');

    await press(page, 'Sign out');

    await page.waitForURL('**/authsvc/login');
    expect(await page.getByLabel('Username').isVisible()).toBe(true);
  });

  test('account: a token is created for one application', async (t) => {
    const page = await open(t, '/authsvc/login');
    await signIn(page, await app().seedUser({ apps: ['authsvc', 'wiki'] }));

    await page.goto('/authsvc/account/tokens');
    await page.locator('#name').fill('ci');
    await page.getByLabel('wiki').check();
    await press(page, 'Create token');
    await page.locator('#created:visible').waitFor();

    expect(await page.locator('#created').textContent()).toMatch(/^tok_/);
  });
});
