import type { Page } from 'playwright-core';
import { describe, expect, type TestContext, test, vi } from 'vitest';
import { addApplication } from '../../src/applications/add-application.ts';
import { changeUser } from '../../src/users/change-user.ts';
import { setPasswordHash } from '../../src/users/queries.ts';
import { seedPasskeyUser } from '../support/authenticator.ts';
import { hasChromium } from '../support/chromium.ts';
import { createToken } from '../support/device-login.ts';
import { startMailServer } from '../support/mail-server.ts';
import { PASSWORD, type SeededUser, startApp, type TestApp } from '../support/start-app.ts';
import { seedSecondFactorUser } from '../support/totp.ts';
import { startReceiver } from '../support/webhook-receiver.ts';
import { expectAccessible, pathOf, sharedBrowser } from './support.ts';

// On a busy machine, a browser is slow.
vi.setConfig({ testTimeout: 120_000 });

const settings = {
  AUTHSVC_TWO_FA_ENABLE: 'true',
  CODEHOST_LOGIN_ENABLED: 'true',
  CODEHOST_APP_CLIENT_ID: 'id',
  CODEHOST_APP_CLIENT_SECRET: 'secret',
  RATE_LIMITS: 'off',
  env: 'dev',
};

interface Console {
  app: TestApp;
  root: SeededUser;
  page: Page;
  expectQuiet(expected?: readonly RegExp[]): void;
}

const pressIn = async (page: Page, name: string): Promise<void> => {
  await page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
};
const press = (page: Page, name: string) => page.getByRole('main').getByRole('button', { name, exact: true }).click();
const unfold = (page: Page, name: string) => page.locator('summary', { hasText: name }).click();
const told = (page: Page, text: string) => page.locator('#done', { hasText: text }).waitFor();

describe.skipIf(!hasChromium())('changes in the console', () => {
  const { visit } = sharedBrowser();

  async function open(t: TestContext, path: string, app?: TestApp): Promise<Console> {
    const service = app ?? (await startApp(t, { database: 'sqlite', settings }));
    const root = await service.seedUser({ username: 'root', role: 'superadmin' });
    const { page, expectQuiet } = await visit(t, { url: service.url });
    await page.context().request.post('/authsvc/api/login', { data: { username: 'root', password: PASSWORD } });
    await page.goto(path);
    return { app: service, root, page, expectQuiet };
  }

  /** Presses a button that opens a question, checks the question, and confirms it in the dialog. */
  async function answer(page: Page, button: string, question: string, confirm = button): Promise<void> {
    await press(page, button);
    await page.getByRole('dialog').getByRole('heading', { name: question }).waitFor();
    await pressIn(page, confirm);
  }

  test('a user is added, invited, edited, deactivated, activated and removed', async (t) => {
    const { app, page, expectQuiet } = await open(t, '/authsvc/admin/users');

    await unfold(page, 'Add a user');
    await press(page, 'Add a user');
    await page.locator('#add-username-error', { hasText: /^Enter a username\.$/ }).waitFor();
    await page.getByLabel('Username').fill('ROOT');
    await press(page, 'Add a user');
    await page.locator('#add-username-error:visible').waitFor();
    await page.getByLabel('Username').fill('ada');
    await page.locator('#add-full-name').fill('Ada Lovelace');
    const warning = page.locator('[data-lacks]', { hasText: 'only a superadmin can use the link' });
    await expect.poll(() => warning.isVisible()).toBe(false);
    expect(await page.locator('#add-apps').inputValue()).toBe('authsvc');
    await page.locator('#add-apps').fill('wiki\n\n drive ');
    await expect.poll(() => warning.isVisible()).toBe(true);
    await page.locator('#add-apps').fill('AUTHSVC\n wiki');
    await expect.poll(() => warning.isVisible()).toBe(false);
    await page.locator('#add-apps').fill('wiki\n\n drive ');
    await press(page, 'Add a user');
    await told(page, 'The user ada was added.');
    const ada = await app.user('ada');
    expect([pathOf(page), ada?.fullName, ada?.allowedApps]).toEqual([
      `/authsvc/admin/users/${ada?.id}`,
      'Ada Lovelace',
      ['wiki', 'drive'],
    ]);

    await unfold(page, 'Invitation link');
    await press(page, 'Make the link');
    const link = page.locator('#once-value', { hasText: '/authsvc/welcome/' });
    await link.waitFor();
    await page.keyboard.press('Escape');
    await expectAccessible(page);
    await pressIn(page, 'I have copied it');
    await told(page, 'The invitation link for ada was made.');
    expect(await page.content()).not.toContain('/authsvc/welcome/');

    await unfold(page, 'Edit');
    await page.locator('#edit-role').selectOption('superadmin');
    await page.locator('#edit-email').fill('ada@example.test');
    await press(page, 'Save');
    await told(page, 'Saved.');
    expect(await app.user('ada')).toMatchObject({ role: 'superadmin', email: 'ada@example.test', version: 2 });

    await answer(page, 'Deactivate', 'Deactivate ada?');
    await told(page, 'ada is deactivated');
    await press(page, 'Activate');
    await told(page, 'ada is active again.');
    await press(page, 'Remove the user');
    await pressIn(page, 'Cancel');
    expect(await app.user('ada')).toMatchObject({ deactivatedAt: null });
    await answer(page, 'Remove the user', 'Remove ada?');
    await told(page, 'ada is removed.');
    expect([pathOf(page), await app.user('ada')]).toEqual(['/authsvc/admin/users', undefined]);
    expectQuiet([/status of 40[09]/]);
  });

  test('a warning on the page stays when a change is refused', async (t) => {
    const app = await startApp(t, { database: 'sqlite', settings });
    const { id } = await app.seedUser({ username: 'ada', apps: ['wiki'] });
    await setPasswordHash.run(app.services.database, { id, hash: '' });
    const { page, expectQuiet } = await open(t, `/authsvc/admin/users/${id}`, app);
    const warning = page.locator('.notice', { hasText: 'the link does not work' });

    await unfold(page, 'Invitation link');
    await page.locator('#invite-hours').fill('9999');
    await press(page, 'Make the link');
    await page.locator('#invite-hours-error:visible').waitFor();

    expect(await warning.evaluate(({ className, hidden }) => [className, hidden])).toEqual([
      'notice is-warning',
      false,
    ]);

    await setPasswordHash.run(app.services.database, { id, hash: 'a' });
    await page.locator('#invite-hours').fill('72');
    await press(page, 'Make the link');
    await page.locator('#invite-error:visible').waitFor();

    expect(await warning.count()).toBe(1);
    expectQuiet([/400/, /409/]);
  });

  test('a link is mailed instead of shown if the service sends mail', async (t) => {
    const mail = await startMailServer();
    t.onTestFinished(mail.close);
    const app = await startApp(t, { database: 'sqlite', settings: { ...settings, ...mail.settings } });
    const { id } = await app.seedUser({ username: 'ada' });
    await changeUser(app.change(), 'ada', { email: { address: 'ada@example.test', key: 'ada@example.test' } });
    const without = await app.seedUser({ username: 'bea' });
    const { page, expectQuiet } = await open(t, `/authsvc/admin/users/${id}`, app);

    await unfold(page, 'Link for a new password');
    await page.getByLabel('Send it by e-mail').check();
    await expectAccessible(page);
    await press(page, 'Make the link');
    await told(page, 'A link is on its way to ada@example.test.');

    await vi.waitUntil(() => mail.mails.some(({ text }) => text.includes('/authsvc/welcome/')), { timeout: 20_000 });
    await page.goto(`/authsvc/admin/users/${without.id}`);
    expect(await page.getByText('Send it by e-mail').count()).toBe(0);
    expectQuiet();
  });

  test('the forms warn about unregistered applications once other applications are registered', async (t) => {
    const { app, page, expectQuiet } = await open(t, '/authsvc/admin/users');
    const { id } = await app.seedUser({ username: 'ada' });
    const warning = page.locator('[data-known]');
    const typed = async (path: string, form: string, field: string, text: string) => {
      await page.goto(path);
      await unfold(page, form);
      await page.locator(field).fill(text);
      return (await warning.isVisible()) ? warning.innerText() : '';
    };

    expect(await typed('/authsvc/admin/users', 'Add a user', '#add-apps', 'wkii')).toBe('');
    await addApplication(app.change(), app.services.settings, { key: 'wiki', name: 'Wiki' });

    for (const [path, form, field] of [
      ['/authsvc/admin/users', 'Add a user', '#add-apps'],
      [`/authsvc/admin/users/${id}`, 'Edit', '#edit-apps'],
      ['/authsvc/admin/profiles', 'Add a profile', '#add-apps'],
    ] as const) {
      expect(await typed(path, form, field, 'Wiki\n AUTHSVC \n\nwkii\n<b>x')).toBe(
        'Not registered as applications: wkii, <b>x. Check the spelling.',
      );
      await expectAccessible(page);
      await page.locator(field).fill('authsvc\nwiki');
      await expect.poll(() => warning.isVisible()).toBe(false);
    }
    expectQuiet();
  });

  test('a superadmin is asked before giving up the role, and then leaves the console', async (t) => {
    const app = await startApp(t, { database: 'sqlite', settings });
    await app.seedUser({ username: 'grace', role: 'superadmin' });
    const { root, page, expectQuiet } = await open(t, '/authsvc/admin', app);
    await page.goto(`/authsvc/admin/users/${root.id}`);

    await unfold(page, 'Edit');
    await page.locator('#edit-full-name').fill('Root');
    await press(page, 'Save');
    await told(page, 'Saved.');
    await unfold(page, 'Edit');
    await page.locator('#edit-role').selectOption('normaluser');
    await press(page, 'Save');
    await page.getByRole('dialog').getByRole('heading', { name: 'Stop being a superadmin?' }).waitFor();
    await pressIn(page, 'Cancel');
    expect(await app.user('root')).toMatchObject({ role: 'superadmin', fullName: 'Root' });
    await answer(page, 'Save', 'Stop being a superadmin?', 'Change my role');
    await page.waitForURL('**/authsvc/account');
    expect(await app.user('root')).toMatchObject({ role: 'normaluser' });
    expectQuiet();
  });

  test('credentials of a user are removed, connected and reset', async (t) => {
    const app = await startApp(t, { database: 'sqlite', settings });
    const eve = await seedSecondFactorUser(app, { username: 'eve' });
    const { user } = await seedPasskeyUser(app);
    const { page, expectQuiet } = await open(t, `/authsvc/admin/users/${eve.id}`, app);
    const detailsOf = async (id: number) => {
      const reply = await page.context().request.get(`/authsvc/api/admin/users/${id}`);
      return (await reply.json()).user;
    };

    await answer(page, 'Remove the app', 'Remove the authenticator app of eve?');
    await told(page, 'The authenticator app and the recovery codes are removed.');
    expect(await detailsOf(eve.id)).toMatchObject({ two_factor_enabled: false, recovery_codes_left: 0 });
    await unfold(page, 'Connect an account');
    await press(page, 'Connect an account');
    await page.locator('#connect-account-error', { hasText: /^Enter the account ID\.$/ }).waitFor();
    await page.locator('#connect-account').fill('583231');
    await press(page, 'Connect an account');
    await told(page, 'The account is connected.');
    expect((await detailsOf(eve.id)).connections).toMatchObject([{ provider: 'codehost', account_id: '583231' }]);
    await answer(page, 'Remove Codehost', 'Remove the account at Codehost?', 'Remove');
    await told(page, 'The account is removed.');
    const client = await app.signIn(eve);
    await answer(page, 'End all sessions', 'End all sessions of eve?');
    await told(page, 'Sessions that have ended: 1.');
    expect((await client.get('/authsvc/api/account')).status).toBe(401);
    await unfold(page, 'Link for a new password');
    await page.locator('#reset-hours').fill('9999');
    await press(page, 'Make the link');
    await page
      .locator('#reset-hours-error', { hasText: /^Enter a number of hours greater than 0 and at most 720\.$/ })
      .waitFor();
    await page.locator('#reset-hours').fill('2');
    await page.getByLabel('Also turn off two-step sign-in').check();
    await press(page, 'Make the link');
    await page.locator('#once-value', { hasText: '/authsvc/welcome/' }).waitFor();
    await pressIn(page, 'I have copied it');
    await told(page, 'The link for a new password of eve was made.');

    await page.goto(`/authsvc/admin/users/${user.id}`);
    await page
      .getByRole('button', { name: /^Remove / })
      .first()
      .click();
    await pressIn(page, 'Remove');
    await page.locator('#done', { hasText: 'The passkey' }).waitFor();
    expect((await detailsOf(user.id)).passkeys).toEqual([]);
    expectQuiet([/status of 400/]);
  });

  test('an application is added, edited, gets a new secret, is disabled and removed', async (t) => {
    const { page, expectQuiet } = await open(t, '/authsvc/admin/applications');
    const secretOf = async () => (await page.locator('#once-value').textContent()) ?? '';

    await unfold(page, 'Add an application');
    await page.locator('#add-key').fill('wiki');
    await page.locator('#add-name').fill('Our wiki');
    await page.locator('#add-urls').fill('http://wiki.example.test');
    await press(page, 'Add an application');
    await page.locator('#once-value:not(:empty)').waitFor();
    const first = await secretOf();
    await pressIn(page, 'I have copied it');
    await told(page, 'The application Our wiki was added.');
    expect(pathOf(page)).toBe('/authsvc/admin/applications/wiki');

    await unfold(page, 'Edit');
    await page.locator('#edit-urls').fill('not an address');
    await press(page, 'Save');
    await page.locator('#edit-urls-error', { hasText: /^Enter a whole URL on each line/ }).waitFor();
    await page.locator('#edit-urls').fill('https://wiki.example.test/\nhttps://w.example.test/');
    await press(page, 'Save');
    await told(page, 'Saved.');
    await page.getByText('https://w.example.test').first().waitFor();

    await unfold(page, 'Edit');
    await page.getByLabel('Must use PKCE').uncheck();
    await page.getByLabel('Signs in on devices').check();
    await page.locator('#edit-alg').selectOption('ES256');
    await page.getByLabel('It cannot keep a secret').check();
    await answer(page, 'Save', 'Make Our wiki public?');
    await page.locator('#edit-error', { hasText: 'must use PKCE' }).waitFor();
    await page.getByLabel('It cannot keep a secret').uncheck();
    await press(page, 'Save');
    await told(page, 'Saved.');
    const { application } = await (await page.request.get('/authsvc/api/admin/applications/wiki')).json();
    expect(application).toMatchObject({ pkce_required: false, device_flow: true, id_token_alg: 'ES256' });
    await unfold(page, 'Edit');
    await page.getByLabel('Must use PKCE').check();
    await page.getByLabel('It cannot keep a secret').check();
    await answer(page, 'Save', 'Make Our wiki public?');
    await told(page, 'Saved.');
    await expect.poll(() => page.getByText('Make a new secret').count()).toBe(0);
    await unfold(page, 'Edit');
    await page.getByLabel('It cannot keep a secret').uncheck();
    await answer(page, 'Save', 'Give Our wiki a secret?');
    await page.locator('#once-value', { hasText: 'acs_' }).waitFor();
    await pressIn(page, 'I have copied it');
    await told(page, 'Saved.');

    await unfold(page, 'Make a new secret');
    await answer(page, 'Make a new secret', 'Make a new secret for Our wiki?');
    await page.locator('#once-value:not(:empty)').waitFor();
    expect([first.length > 20, (await secretOf()) === first]).toEqual([true, false]);
    await pressIn(page, 'I have copied it');
    await told(page, 'The application has a new secret.');

    await answer(page, 'Disable', 'Disable Our wiki?');
    await told(page, 'Our wiki is disabled.');
    await press(page, 'Enable');
    await told(page, 'Our wiki is enabled.');
    await answer(page, 'Remove the application', 'Remove Our wiki?');
    await told(page, 'Our wiki is removed.');
    expect(pathOf(page)).toBe('/authsvc/admin/applications');
    expectQuiet([/status of 400/]);
  });

  test('a webhook is added, tested, gets a new secret, is edited, repeats a delivery, is disabled and removed', async (t) => {
    const receiver = await startReceiver();
    t.onTestFinished(receiver.close);
    const app = await startApp(t, { database: 'sqlite', settings: { ...settings, WEBHOOK_PRIVATE_NETWORKS: 'on' } });
    const { page, expectQuiet } = await open(t, '/authsvc/admin/webhooks', app);
    const secretOf = async () => (await page.locator('#once-value').textContent()) ?? '';

    await unfold(page, 'Add a webhook');
    await page.locator('#add-url').fill(receiver.url);
    await page.locator('#add-events').fill('user.exploded');
    await press(page, 'Add a webhook');
    await page.locator('#add-events-error', { hasText: /^Enter the name of an event on each line/ }).waitFor();
    await page.locator('#add-events').fill('user.created\nuser.removed');
    await press(page, 'Add a webhook');
    await page.locator('#once-value:not(:empty)').waitFor();
    const first = await secretOf();
    await pressIn(page, 'I have copied it');
    await told(page, 'The webhook was added.');
    await page.getByText('user.created, user.removed').waitFor();

    await press(page, 'Send a test');
    await told(page, 'The receiver accepted the test.');
    expect(receiver.got.map(({ message }) => message.type)).toEqual(['webhook.test']);
    receiver.answer = (_request, response) => void response.writeHead(401).end();
    await press(page, 'Send a test');
    await page.locator('#problem', { hasText: 'The test failed: the receiver answered with status 401.' }).waitFor();
    receiver.answer = (_request, response) => void response.writeHead(200).end();
    receiver.got.length = 1;
    await answer(page, 'Send again', 'Send all waiting and failed deliveries now?');
    await told(page, 'Deliveries sent again: 0.');
    await unfold(page, 'Make a new secret');
    await answer(page, 'Make a new secret', 'Make a new secret for this webhook?');
    await page.locator('#once-value:not(:empty)').waitFor();
    expect([first.startsWith('whsec_'), (await secretOf()) === first]).toEqual([true, false]);
    await pressIn(page, 'I have copied it');
    await told(page, 'The webhook has a new secret.');

    await unfold(page, 'Edit');
    await page.locator('#edit-url').fill('');
    await press(page, 'Save');
    await page.locator('#edit-url-error', { hasText: /^Enter a whole URL/ }).waitFor();
    await page.locator('#edit-url').fill(`${receiver.url}&edited`);
    await page.locator('#edit-events').fill('user.created');
    await press(page, 'Save');
    await told(page, 'The webhook is saved.');
    receiver.answer = (_request, response) => void response.writeHead(500).end();
    await app.seedUser();
    await expect.poll(() => receiver.got.length, { timeout: 30_000 }).toBe(2);
    receiver.answer = (_request, response) => void response.writeHead(200).end();
    const message = String(receiver.got[1]?.headers['webhook-id']);
    await page.getByRole('link', { name: 'Deliveries' }).click();
    await answer(page, `Send ${message} again`, `Send ${message} again?`, 'Send again');
    await told(page, `${message} is sent again.`);
    await expect.poll(() => receiver.got.length, { timeout: 30_000 }).toBe(3);
    expect(receiver.got.map(({ path }) => path.endsWith('&edited'))).toEqual([false, true, true]);
    await page.goBack();

    await answer(page, 'Disable', 'Disable this webhook?');
    await told(page, 'The webhook is disabled.');
    await press(page, 'Enable');
    await told(page, 'The webhook is active.');
    await answer(page, 'Remove the webhook', 'Remove this webhook?');
    await told(page, 'The webhook is removed.');
    expect(pathOf(page)).toBe('/authsvc/admin/webhooks');
    expectQuiet([/status of 400/]);
  });

  test('profiles are added, disabled and enabled; tokens and sessions end', async (t) => {
    const app = await startApp(t, { database: 'sqlite', settings });
    const ada = await app.seedUser({ username: 'ada' });
    const client = app.client();
    await client.login(ada, { headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0' } });
    const { token } = await createToken(client);
    const prefix = token.slice(0, 12);
    const { page, expectQuiet } = await open(t, '/authsvc/admin/profiles', app);

    await unfold(page, 'Add a profile');
    await page.locator('#add-name').fill('Backups');
    await page.locator('#add-key').fill('backup-tools');
    await page.locator('#add-days').fill('7');
    await press(page, 'Add a profile');
    await told(page, 'The profile Backups was added.');
    await answer(page, 'Disable Backups', 'Disable Backups?', 'Disable');
    await told(page, 'Backups is disabled.');
    await answer(page, 'Enable Backups', 'Enable Backups?', 'Enable');
    await told(page, 'Backups is enabled.');

    await page.goto('/authsvc/admin/tokens');
    await answer(page, `Revoke the token ${prefix} of ada`, `Revoke the API token ${prefix} of ada?`, 'Revoke');
    await told(page, 'The API token of ada is revoked.');
    expect((await app.client().post('/api/tokens/verify', { token })).body.tokenValid).toBe(false);
    await page.goto(`/authsvc/admin/sessions?user_id=${ada.id}`);
    const browser = 'Firefox 140 on Linux';
    await answer(page, `End the session of ada in ${browser}`, `End the session of ada in ${browser}?`, 'End');
    await told(page, 'The session of ada has ended.');
    expect((await client.get('/authsvc/api/account')).status).toBe(401);
    expectQuiet();
  });

  test('the list of sessions marks the current session, and ending that one opens the login page', async (t) => {
    const { app, page } = await open(t, '/authsvc/admin/sessions');
    await app.signIn(await app.seedUser({ username: 'ada' }));
    await page.reload();

    const own = page.locator('tbody tr', { hasText: '(this browser)' });
    expect(await own.locator('th, td').first().textContent()).toContain('root');
    expect(await page.locator('tbody tr').count()).toBe(2);
    await own.getByRole('button').click();
    await page.getByText('End your own session?').waitFor();
    await pressIn(page, 'End');
    await page.waitForURL(/\/login\?/);
    expect(await page.locator('#username').isVisible()).toBe(true);
  });

  test('a change of outdated data is refused, the page shows the differences, and offers to reload', async (t) => {
    const app = await startApp(t, { database: 'sqlite', settings });
    const ada = await app.seedUser({ username: 'ada', fullName: 'Ada' });
    const { page, expectQuiet } = await open(t, `/authsvc/admin/users/${ada.id}`, app);
    await changeUser(app.change(), 'ada', { fullName: 'Ada L.', apps: ['wiki', 'drive'] });

    await unfold(page, 'Edit');
    await page.locator('#edit-full-name').fill('Ada M.');
    await press(page, 'Save');
    await page.locator('#conflict:visible').waitFor();

    expect(await page.locator('#conflict-list li').allTextContents()).toEqual([
      'Full name: Ada →\u00a0Ada L.',
      'Applications: authsvc →\u00a0wiki, drive',
    ]);
    await expectAccessible(page);
    expect(await app.user('ada')).toMatchObject({ fullName: 'Ada L.' });
    await page.getByRole('button', { name: 'Reload the page' }).click();
    await page.locator('#edit-full-name[value="Ada L."]').waitFor({ state: 'attached' });
    expectQuiet([/status of 409/]);
  });

  test('a change that needs a confirmation asks for it in a dialog and is then made', async (t) => {
    const app = await startApp(t, { database: 'sqlite', settings });
    const { id } = await app.seedUser({ username: 'ada' });
    const { page, expectQuiet } = await open(t, `/authsvc/admin/users/${id}`, app);
    app.clock.advance(11 * 60_000);

    await answer(page, 'Deactivate', 'Deactivate ada?');
    await page.getByLabel('Your password').fill(PASSWORD);
    await page.keyboard.press('Enter');

    await told(page, 'ada is deactivated');
    expectQuiet([/status of 403/]);
  });

  test('the last superadmin cannot be removed, and the page says why', async (t) => {
    const { app, root, page, expectQuiet } = await open(t, '/authsvc/admin');
    await changeUser(app.change(), 'superadmin', { isActive: false });
    await page.goto(`/authsvc/admin/users/${root.id}`);

    await answer(page, 'Deactivate', 'Deactivate root?');

    await page.locator('#problem:visible').waitFor();
    expect(await app.user('root')).toMatchObject({ deactivatedAt: null });
    expectQuiet([/status of 409/]);
  });

  test('a list can be used with keys: slash searches, arrows move, Enter opens', async (t) => {
    const app = await startApp(t, { database: 'sqlite', settings });
    await app.seedUser({ username: 'ada' });
    const { page } = await open(t, '/authsvc/admin/users', app);

    await page.keyboard.press('/');
    await page.keyboard.type('ada');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/users?q=ada**');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');

    await page.getByRole('heading', { name: 'ada', level: 1 }).waitFor();
  });

  test('the days of a filter begin in the time zone in which the page shows its times', async (t) => {
    const app = await startApp(t, { database: 'sqlite', settings });
    await app.seedUser({ username: 'root', role: 'superadmin' });
    const { page, expectQuiet } = await visit(t, { url: app.url, timezoneId: 'Asia/Tokyo' });
    await page.context().request.post('/authsvc/api/login', { data: { username: 'root', password: PASSWORD } });
    await page.goto('/authsvc/admin/audit?until=2099-12-31');
    const sent = (name: string) => new URL(page.url()).searchParams.get(name);

    await page.locator('#filter-since').fill('2026-01-31');
    await press(page, 'Apply');
    await page.waitForURL('**/audit?*since=2026*');

    expect(sent('since')).toBe('2026-01-30T15:00:00.000Z');
    expect(sent('until')).toBe('2099-12-30T15:00:00.000Z');
    expect(await page.locator('#filter-since').inputValue()).toBe('2026-01-31');
    expect(await page.locator('#rows tbody tr').count()).toBeGreaterThan(0);

    await page.locator('#filter-since').fill('2026-02-31');
    await press(page, 'Apply');
    await page.locator('#filter-since-error', { hasText: 'Enter a day' }).waitFor();
    expect(sent('since')).toBe('2026-02-31');
    expectQuiet([/400/]);
  });

  test('without scripts the page shows its data, offers no change and says so', async (t) => {
    const app = await startApp(t, { database: 'sqlite', settings });
    await app.seedUser({ username: 'root', role: 'superadmin' });
    const { page } = await visit(t, { url: app.url, javaScriptEnabled: false });
    await page.context().request.post('/authsvc/api/login', { data: { username: 'root', password: PASSWORD } });

    await page.goto('/authsvc/admin/users');

    await page.locator('noscript p:visible').waitFor();
    expect(await page.locator('summary:visible', { hasText: 'Add a user' }).count()).toBe(0);
  });
});
