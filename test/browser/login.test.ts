import type { Page } from 'playwright-core';
import { describe, expect, test, vi } from 'vitest';
import { sharedApp } from '../http/support.ts';
import { hasChromium } from '../support/chromium.ts';
import { startApp } from '../support/start-app.ts';
import { expectAccessible, expectNoSidewaysScrolling, pathOf, sharedBrowser } from './support.ts';

// On a busy machine, a browser is slow.
vi.setConfig({ testTimeout: 90_000 });

/** Matches the line that Chromium itself writes to the console about an error status. */
const refused = (status: number) => new RegExp(`^console: Failed to load resource: .* status of ${status} `);

async function typeIn(page: Page, username: string, password: string): Promise<void> {
  await page.fill('#username', username);
  await page.fill('#password', password);
}

/** Signs in with the form, and waits for the page after the sign-in. */
async function signIn(page: Page, user: { username: string; password: string }): Promise<void> {
  await page.goto('/authsvc/login');
  await typeIn(page, user.username, user.password);
  await page.click('#submit');
  await page.waitForURL('**/authsvc/');
}

/** Returns the id of the element that has the focus. */
const focused = (page: Page) => page.locator(':focus').getAttribute('id');

describe.skipIf(!hasChromium())('the login page in a browser', () => {
  const browser = sharedBrowser();
  const app = sharedApp({ database: 'sqlite', settings: { APP_NAME: 'Harbour', env: 'dev', RATE_LIMITS: 'off' } });
  const visit = (t: Parameters<typeof browser.visit>[0], options: object = {}) =>
    browser.visit(t, { url: app().url, ...options });

  test('a person signs in by keyboard alone, sees who they are, and signs out by keyboard', async (t) => {
    const user = await app().seedUser({ fullName: 'Ada Lovelace' });
    const { page, expectQuiet } = await visit(t);
    await page.goto('/login?redirect=%2Fauthsvc%2Ftest');
    expect(await focused(page)).toBe('username');

    await page.keyboard.type(user.username);
    await page.keyboard.press('Tab');
    await page.keyboard.type(user.password);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/authsvc/test');

    expect(await page.textContent('main')).toContain('Ada Lovelace');
    expect(await page.textContent('main')).toContain(user.username);
    await page.focus('#submit');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    expect(pathOf(page)).toBe('/authsvc/test');
    await page.focus('#submit');
    await page.keyboard.press('Enter');
    await page.locator('dialog button[value=confirm]').press('Enter');
    await page.waitForURL('**/authsvc/login**');
    expect((await page.context().cookies()).map(({ name }) => name)).not.toContain('session_id');
    expectQuiet();
  });

  test('a dialog that opens again before the browser has reported that it was closed still accepts an answer', async (t) => {
    const user = await app().seedUser();
    const { page, expectQuiet } = await visit(t);
    await page.goto('/login?redirect=%2Fauthsvc%2Ftest');
    await typeIn(page, user.username, user.password);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/authsvc/test');
    await page.click('#submit');
    await page.getByRole('dialog').waitFor();

    await page.evaluate("document.querySelector('#logout-dialog').close(); document.querySelector('#submit').click()");
    await page.locator('dialog button[value=confirm]').click();

    await page.waitForURL('**/authsvc/login**');
    expectQuiet();
  });

  test('a wrong password is reported below the field without a reload, and the typed text stays', async (t) => {
    const user = await app().seedUser();
    const { page, expectQuiet } = await visit(t);
    await page.goto('/authsvc/login');
    await page.evaluate("document.body.setAttribute('data-still-here', '')");
    await typeIn(page, user.username, 'wrong-horse');

    await page.keyboard.press('Enter');
    await page.locator('#password-error:visible').waitFor();

    expect(await page.textContent('#password-error')).toContain('Incorrect username or password');
    expect(await page.inputValue('#username')).toBe(user.username);
    expect(await page.locator('body[data-still-here]').count()).toBe(1);
    expect(await page.getAttribute('#password', 'aria-invalid')).toBe('true');
    expect(await page.getAttribute('#password', 'aria-describedby')).toContain('password-error');
    expect(await focused(page)).toBe('password');
    await expectAccessible(page);
    await page.keyboard.type(user.password);
    expect(await page.locator('#password-error:visible').count()).toBe(0);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/authsvc/');
    expectQuiet([refused(401)]);
  });

  test('an error is shown in the language of the page', async (t) => {
    const user = await app().seedUser();
    const { page, expectQuiet } = await visit(t, { locale: 'de' });
    await page.goto('/authsvc/login');
    await typeIn(page, user.username, 'wrong-horse');

    await page.keyboard.press('Enter');

    await page.getByText('Benutzername oder Passwort ist falsch').waitFor();
    expectQuiet([refused(401)]);
  });

  test('a person who may not use the application gets a plain message above the form', async (t) => {
    const stranger = await app().seedUser({ apps: ['another'] });
    const { page, expectQuiet } = await visit(t);
    await page.goto('/authsvc/login');
    await typeIn(page, stranger.username, stranger.password);

    await page.keyboard.press('Enter');

    await page.getByText('You may not use this application').waitFor();
    expect(await page.textContent('#form-error')).toContain('sign in with another account');
    expectQuiet([refused(403)]);
  });

  test.for([
    ['', '', 'username-error', 'Enter your username'],
    [' ', 'eight-8-8', 'username-error', 'Enter your username'],
    ['ada', '', 'password-error', 'Enter your password'],
    ['ada', 'seven-7', 'password-error', 'This password is too short'],
  ] as const)(
    'the input "%s" with "%s" is reported at %s before any request is sent',
    async ([username, password, place, text], t) => {
      const { page, expectQuiet } = await visit(t);
      await page.goto('/authsvc/login');
      await typeIn(page, username, password);

      await page.click('#submit');

      expect(await page.textContent(`#${place}`)).toContain(text);
      expect(await focused(page)).toBe(place.replace('-error', ''));
      expectQuiet();
    },
  );

  test('while a sign-in is in progress the button says so, and pressing it again sends nothing', async (t) => {
    const user = await app().seedUser();
    const { page } = await visit(t);
    let sent = 0;
    let answer: (() => void) | undefined;
    const mayAnswer = new Promise<void>((done) => {
      answer = done;
    });
    await page.route('**/authsvc/api/login', async (route) => {
      sent += 1;
      await mayAnswer;
      await route.continue();
    });
    await page.goto('/authsvc/login');
    await typeIn(page, user.username, user.password);

    await page.click('#submit');
    await page.locator('#submit[aria-disabled=true]').waitFor();
    const label = await page.textContent('#submit .button-label');
    await page.focus('#password');
    await page.keyboard.press('Enter');
    await page.click('#submit', { force: true });
    answer?.();
    await page.waitForURL('**/authsvc/');

    expect(label).toContain('Signing in');
    expect(sent).toBe(1);
  });

  /** Returns the vertical positions of the card and of the elements in it. */
  const tops = (page: Page) =>
    page.evaluate<number[]>(
      `['.card', '#username', '#password', '#submit'].map((part) => document.querySelector(part).getBoundingClientRect().top)`,
    );

  test.for([360, 1280])(
    'an error that appears does not move the fields above it, and typing moves nothing (%i pixels)',
    async (width, t) => {
      const user = await app().seedUser();
      const { page } = await visit(t, { viewport: { width, height: 800 } });
      await page.goto('/authsvc/login');
      await typeIn(page, user.username, 'wrong-horse');
      const before = await tops(page);

      await page.keyboard.press('Enter');
      await page.locator('#password-error:visible').waitFor();
      const refused = await tops(page);
      await page.keyboard.type('n');
      await page.locator('#password-error:visible').waitFor({ state: 'detached' });
      const typing = await tops(page);
      await page.route('**/authsvc/api/login', () => undefined);
      await page.keyboard.type('ext-horse');
      await page.keyboard.press('Enter');
      await page.locator('#submit.is-busy').waitFor();
      const waiting = await tops(page);

      expect(refused.slice(0, 3)).toEqual(before.slice(0, 3));
      expect(typing).toEqual(refused);
      expect(waiting).toEqual(refused);
    },
  );

  test('a person whose browser stores no cookies gets a message about it', async (t) => {
    const user = await app().seedUser();
    const { page } = await visit(t);
    await page.route('**/*', async (route) => {
      const response = await route.fetch();
      const { 'set-cookie': _cookies, ...headers } = response.headers();
      await page.context().clearCookies();
      await route.fulfill({ response, headers });
    });
    await page.goto('/authsvc/login');
    await typeIn(page, user.username, user.password);

    await page.click('#submit');

    await page.getByText('Your browser does not store cookies for this site.').waitFor();
  });

  test('an unreachable service is reported, and the typed text stays', async (t) => {
    const { page } = await visit(t);
    await page.goto('/authsvc/login');
    await page.route('**/authsvc/api/login', (route) => route.abort());
    await typeIn(page, 'ada', 'right-horse-7');

    await page.click('#submit');

    await page.getByText('cannot be reached').waitFor();
    expect([await page.inputValue('#username'), await page.inputValue('#password')]).toEqual(['ada', 'right-horse-7']);
    expect(await page.getAttribute('#submit', 'aria-disabled')).toBe('false');
  });

  test('a page whose CSRF token has become invalid still signs in', async (t) => {
    const user = await app().seedUser();
    const { page, expectQuiet } = await visit(t);
    await page.goto('/authsvc/login');
    await page.context().clearCookies();
    await typeIn(page, user.username, user.password);

    await page.click('#submit');
    await page.waitForURL('**/authsvc/');

    expect(await page.textContent('main')).toContain(user.username);
    expectQuiet([refused(403)]);
  });

  test('Back after signing out does not show the signed-in page', async (t) => {
    const user = await app().seedUser();
    const { page } = await visit(t);
    await signIn(page, user);
    await page.click('#submit');
    await page.click('dialog button[value=confirm]');
    await page.waitForURL('**/authsvc/login**');

    await page.goBack();
    await page.locator('#login').waitFor();

    expect(pathOf(page)).toBe('/authsvc/login');
    expect(await page.textContent('body')).not.toContain(user.username);
  });

  test('the username of the last sign-in is filled in, but never the password', async (t) => {
    const user = await app().seedUser();
    const { page } = await visit(t);
    await signIn(page, user);
    await page.context().clearCookies();

    await page.goto('/authsvc/login');

    expect([await page.inputValue('#username'), await page.inputValue('#password')]).toEqual([user.username, '']);
    expect(await focused(page)).toBe('password');
  });

  test('Back after a sign-in shows who is signed in, the button Continue, and one link to another account', async (t) => {
    const user = await app().seedUser();
    const { page } = await visit(t);
    await signIn(page, user);

    await page.goBack();
    await page.getByRole('heading', { name: 'You are signed in' }).waitFor();

    expect(await page.title()).toBe('You are signed in · Harbour');
    expect(await page.textContent('.person')).toContain(user.username);
    const ways = page.locator('main').locator('a, button, input:not([type=hidden])');
    expect((await ways.allTextContents()).map((text) => text.trim())).toEqual(['Continue', 'Use another account']);
    await page.getByRole('link', { name: 'Use another account' }).click();
    await page.waitForURL('**/authsvc/accounts?redirect=%2Fauthsvc%2F');
  });

  test('a person who adds an account gets a page for that, with a link back to the current account', async (t) => {
    const [ada, bob] = [await app().seedUser(), await app().seedUser()];
    const { page, expectQuiet } = await visit(t);
    await signIn(page, ada);

    await page.getByRole('link', { name: 'Add another account' }).click();
    await page.waitForURL('**/authsvc/login?add=1');

    expect(await page.textContent('h1')).toBe('Add another account');
    expect(await page.textContent('main')).toContain(ada.username);
    expect(await focused(page)).toBe('username');
    expect(await page.getByRole('link', { name: `Continue as ${ada.username}` }).getAttribute('href')).toBe(
      '/authsvc/',
    );
    await typeIn(page, bob.username, bob.password);
    await page.click('#submit');
    await page.waitForURL('**/authsvc/');
    expect(await page.textContent('main')).toContain(bob.username);
    expectQuiet();
  });

  test('a password can be shown and hidden, and is hidden before it is sent', async (t) => {
    const { page } = await visit(t);
    await page.goto('/authsvc/login');
    await typeIn(page, 'ada', 'wrong-horse');

    await page.click('[data-reveal=password]');
    expect([
      await page.getAttribute('#password', 'type'),
      await page.getAttribute('[data-reveal=password]', 'aria-pressed'),
    ]).toEqual(['text', 'true']);
    await page.click('#submit');
    await page.locator('#password-error:visible').waitFor();

    expect(await page.getAttribute('#password', 'type')).toBe('password');
  });

  test('password managers find both fields', async (t) => {
    const { page } = await visit(t);
    await page.goto('/authsvc/login');

    const attributes = (id: string) =>
      page.evaluate<Record<string, unknown>>(`(({ name, type, autocomplete, form, labels }) => ({
        name, type, autocomplete, isInForm: form?.method === 'post', label: labels[0]?.textContent.trim(),
      }))(document.querySelector('${id}'))`);

    expect(await attributes('#username')).toEqual({
      name: 'username',
      type: 'text',
      autocomplete: 'username webauthn',
      isInForm: true,
      label: 'Username',
    });
    expect(await attributes('#password')).toMatchObject({
      name: 'password',
      type: 'password',
      autocomplete: 'current-password',
      isInForm: true,
      label: 'Password',
    });
  });

  const looks = (['light', 'dark'] as const).flatMap((colorScheme) =>
    [360, 1280].map((width) => ({ colorScheme, width, locale: width === 360 ? 'de' : 'en' })),
  );
  test.for(looks)(
    'with $colorScheme colours at $width pixels ($locale) the page is accessible, causes no console errors, and is not too wide',
    async (look, t) => {
      const { colorScheme, locale, width } = look;
      const user = await app().seedUser({
        username: `w${width}-${colorScheme}-${'x'.repeat(100)}`,
        fullName: 'W'.repeat(120),
      });
      const { page, expectQuiet } = await visit(t, { colorScheme, locale, viewport: { width, height: 800 } });

      await page.goto('/authsvc/login');
      await expectAccessible(page);
      await expectNoSidewaysScrolling(page);
      const background = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
      await typeIn(page, user.username, user.password);
      await page.click('#submit');
      await page.waitForURL('**/authsvc/');
      for (const path of ['/authsvc/', '/authsvc/login']) {
        await page.goto(path);
        await expectAccessible(page);
        await expectNoSidewaysScrolling(page);
      }
      expectQuiet();

      const [red = 0] = /\d+/.exec(background) ?? [];
      expect(Number(red) < 128).toBe(colorScheme === 'dark');
    },
  );

  test('an error page is accessible, without console errors, and has a link to continue', async (t) => {
    const { page, expectQuiet } = await visit(t);
    await page.goto('/nothing-here');

    await expectAccessible(page);
    expect(await page.textContent('main')).toContain('NOT_FOUND');
    await page.locator('main a.button').first().click();
    await page.waitForURL('**/authsvc/login**');
    expectQuiet([refused(404)]);
  });
});

describe.skipIf(!hasChromium())('the login page over its rate limit', () => {
  const browser = sharedBrowser();

  test('counts down, disables the button, and keeps the typed text', async (t) => {
    const app = await startApp(t, { database: 'sqlite', settings: { TRUST_PROXY: 'false' } });
    const { page } = await browser.visit(t, { url: app.url });
    await page.goto('/authsvc/login');
    for (let i = 0; i < 8; i += 1) await app.client().post('/authsvc/api/login', {});
    await typeIn(page, 'ada', 'right-horse-7');

    await page.click('#submit');
    const countdown = page.getByText(/You can try again in \d+ (seconds|minutes?)/);
    await countdown.waitFor();
    const first = await countdown.textContent();
    while ((await countdown.textContent()) === first) await page.waitForTimeout(100);

    expect(await page.textContent('#form-error')).toContain('Too many attempts');
    expect(await page.textContent('#form-error')).toMatch(/try again in \d+ seconds/);
    expect(await page.getAttribute('#submit', 'aria-disabled')).toBe('true');
    expect([await page.inputValue('#username'), await page.inputValue('#password')]).toEqual(['ada', 'right-horse-7']);
    await expectAccessible(page);
  });

  test('tells the person to wait if the page itself is over its limit', async (t) => {
    const app = await startApp(t, { database: 'sqlite', settings: { TRUST_PROXY: 'false' } });
    const { page, expectQuiet } = await browser.visit(t, { url: app.url });
    for (let i = 0; i < 8; i += 1) await app.client().page('/authsvc/login');

    const reply = await page.goto('/authsvc/login');

    expect(reply?.status()).toBe(429);
    const wait = await page.textContent('#wait');
    expect(wait).toMatch(/^Try again in (\d+ seconds|1 minute)$/);
    await expect.poll(() => page.textContent('#wait'), { timeout: 10_000 }).not.toBe(wait);
    expect(await page.textContent('#wait')).toMatch(/^Try again in \d+ seconds?$/);
    expect(await page.getAttribute('#wait', 'aria-disabled')).toBe('true');
    await page.evaluate("document.body.setAttribute('data-still-here', '')");
    await page.click('#wait', { force: true });
    expect(await page.locator('body[data-still-here]').count()).toBe(1);
    await expectAccessible(page);
    expectQuiet([refused(429)]);
  });
});
