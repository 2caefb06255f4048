import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, type TestContext, test } from 'vitest';
import { sharedApp } from '../http/support.ts';
import { hasChromium, launchBrowser } from '../support/chromium.ts';
import { type Host, startHost } from './host.ts';

const page = (title: string) => ({
  type: 'text/html; charset=utf-8',
  body: `<!doctype html><html lang="en"><title>${title}</title><script src="/authsvc/main.js"></script><h1>${title}</h1>`,
});
const APPLICATION = {
  '/': page('Home'),
  '/app': page('Application'),
  '/app/deep/page': page('Deep'),
  '/sw.js': { type: 'text/javascript', body: 'self.addEventListener("fetch", () => undefined);' },
};
const NAMES = [
  'logout',
  'logoutuser',
  'nuclearCacheClear',
  'getCookieValue',
  'loadpage',
  'formatDate',
  'reloadPage',
  'checkSession',
];

/** Fills every kind of storage that a browser has. */
const FILL = `(async () => {
  localStorage.setItem('authsvc.username', 'ada');
  localStorage.setItem('draft', 'private');
  sessionStorage.setItem('authsvc.username', 'ada');
  sessionStorage.setItem('draft', 'private');
  document.cookie = 'theme=dark; path=/';
  document.cookie = 'deep=1; path=/app';
  const cache = await caches.open('pages');
  await cache.put('/app', new Response('private'));
  await new Promise((resolve, reject) => {
    const request = indexedDB.open('notes');
    request.onsuccess = () => { request.result.close(); resolve(); };
    request.onerror = reject;
  });
  await navigator.serviceWorker.register('/sw.js');
  await navigator.serviceWorker.ready;
})()`;

/** Reads what each kind of storage contains now. */
const KEPT = `(async () => ({
  local: { ...localStorage },
  session: { ...sessionStorage },
  caches: await caches.keys(),
  databases: (await indexedDB.databases()).map(({ name }) => name),
  workers: (await navigator.serviceWorker.getRegistrations()).length,
  cookies: document.cookie.split('; ').filter(Boolean).map((pair) => pair.split('=')[0]).sort(),
}))()`;
const REMEMBERED = { 'authsvc.username': 'ada' };
const NOTHING_BUT_THE_NAME = {
  local: REMEMBERED,
  session: REMEMBERED,
  caches: [],
  databases: [],
  workers: 0,
  cookies: [],
};

describe.skipIf(!hasChromium())('main.js in the page of an application', () => {
  const app = sharedApp({ database: 'sqlite', settings: { env: 'dev', RATE_LIMITS: 'off' } });
  let browser: Browser;
  let host: Host;
  beforeAll(async () => {
    browser = await launchBrowser();
    host = await startHost(() => app().port, APPLICATION);
  });
  afterAll(async () => {
    await browser.close();
    await host.close();
  });

  interface Tab {
    page: Page;
    context: BrowserContext;
    /** The questions and messages that the page has shown in dialogs. */
    dialogs: string[];
  }

  /** Opens the application in a tab with a signed-in person. */
  async function openTab(t: TestContext, { accepts = true, path = '/app' } = {}): Promise<Tab> {
    const user = await app().seedUser();
    const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'UTC' });
    context.setDefaultTimeout(10_000);
    t.onTestFinished(() => context.close());
    const tab = { page: await context.newPage(), context, dialogs: [] as string[] };
    tab.page.on('dialog', async (dialog) => {
      tab.dialogs.push(dialog.message());
      await (accepts ? dialog.accept() : dialog.dismiss());
    });
    await tab.page.goto(host.url + path);
    const login = { username: user.username, password: user.password };
    const reply = await context.request.post(`${host.url}/authsvc/api/login`, { data: login });
    expect(reply.status()).toBe(200);
    return tab;
  }
  const isSignedIn = async ({ context }: Tab): Promise<unknown> =>
    (await (await context.request.get(`${host.url}/authsvc/api/checkSession`)).json()).session_valid;

  test('gives only its helpers to the page', async (t) => {
    const { page } = await openTab(t);

    const types = await page.evaluate((names) => names.map((name) => typeof Reflect.get(globalThis, name)), NAMES);
    const added = await page.evaluate(`(() => {
      const frame = document.body.appendChild(document.createElement('iframe'));
      const plain = new Set(Object.getOwnPropertyNames(frame.contentWindow));
      frame.remove();
      return Object.getOwnPropertyNames(window).filter((name) => !plain.has(name) && isNaN(name)).sort();
    })()`);

    expect(types).toEqual(NAMES.map(() => 'function'));
    expect(added).toEqual(NAMES.toSorted());
  });

  describe.each(['logout', 'logoutuser'])('%s', (name) => {
    test('asks the person, clears the storage, ends the session and goes to the home page', async (t) => {
      const tab = await openTab(t);
      await tab.page.evaluate(FILL);

      await Promise.all([tab.page.waitForURL(`${host.url}/`), tab.page.evaluate(`void ${name}()`)]);

      expect(tab.dialogs).toEqual(['Do you want to sign out?']);
      expect(await isSignedIn(tab)).toBe(false);
      expect(await tab.page.evaluate(KEPT)).toEqual({ ...NOTHING_BUT_THE_NAME, cookies: ['last_login_method'] });
    });

    test('does nothing if the person does not confirm', async (t) => {
      const tab = await openTab(t, { accepts: false });
      await tab.page.evaluate(FILL);

      expect(await tab.page.evaluate(`${name}()`)).toBe(false);

      expect(await isSignedIn(tab)).toBe(true);
      expect(tab.page.url()).toBe(`${host.url}/app`);
      expect(await tab.page.evaluate('localStorage.draft')).toBe('private');
    });
  });

  test('logout goes to the home page even if the session has already ended', async (t) => {
    const tab = await openTab(t);
    await tab.context.clearCookies({ name: 'session_id' });

    await Promise.all([tab.page.waitForURL(`${host.url}/`), tab.page.evaluate('void logout()')]);

    expect(tab.dialogs).toHaveLength(1);
  });

  test('logout says why the service refuses, and stays on the page', async (t) => {
    const tab = await openTab(t);
    const message = 'Too many logout attempts, please try again later';
    await tab.page.route('**/api/logout', (route) => route.fulfill({ status: 429, json: { success: false, message } }));

    expect(await tab.page.evaluate('logout()')).toBe(false);

    expect(tab.dialogs[1]).toBe(message);
    expect(tab.page.url()).toBe(`${host.url}/app`);
    expect(await isSignedIn(tab)).toBe(true);
  });

  test('logout clears nothing if the service cannot be reached', async (t) => {
    const tab = await openTab(t);
    await tab.page.evaluate(FILL);
    await tab.page.route('**/authsvc/**', (route) => route.abort());
    await tab.page.evaluate(
      'navigator.serviceWorker.getRegistrations().then((all) => all.map((one) => one.unregister()))',
    );

    expect(await tab.page.evaluate('logout()')).toBe(false);

    expect(tab.dialogs[1]).toContain('you are still signed in');
    expect(await tab.page.evaluate('localStorage.draft')).toBe('private');
    expect(await isSignedIn(tab)).toBe(true);
  });

  describe('on a host where authsvc does not answer', () => {
    const html = { contentType: 'text/html', body: '<!doctype html><title>The application</title>' };
    const withForm = { ...html, body: '<form><input name="_csrf" value="of another program"></form>' };
    test.each([
      ['an application that answers everything with its page', html, html],
      ['one that has its own token', withForm, html],
      ['one that answers every sign-out with JSON', withForm, { json: { ok: true } }],
      ['one that answers a sign-out with an empty body', withForm, { status: 204 }],
      ['one that has its own sign-out', withForm, { json: { success: true, message: 'Bye' } }],
      ['one that answers with 404', { status: 404, ...html }, { status: 404, json: {} }],
    ])('%s does not sign the person out by mistake', async (_what, login, logout) => {
      const own = await browser.newContext({ locale: 'en-GB' });
      onTestFinished(() => own.close());
      const page = await own.newPage();
      const [dialogs, errors]: string[][] = [[], []];
      page.on('pageerror', (error) => errors?.push(error.message));
      page.on('dialog', async (dialog) => {
        dialogs?.push(dialog.message());
        await dialog.accept();
      });
      await page.goto(`${host.url}/app`);
      await page.evaluate("localStorage.draft = 'private'");
      await page.route('**/authsvc/login', (route) => route.fulfill(login));
      await page.route('**/authsvc/api/*', (route) => route.fulfill(logout));

      const isOut = await page.evaluate('logout()');
      const check = await page.evaluate('checkSession().then(String, String)');

      expect(isOut).toBe(false);
      expect(await page.evaluate('localStorage.draft')).toBe('private');
      expect(dialogs).toEqual(['Do you want to sign out?', expect.stringContaining('You are still signed in.')]);
      expect(page.url()).toBe(`${host.url}/app`);
      expect(check).toContain(`authsvc does not answer at ${host.url}`);
      if (!('status' in logout)) expect(errors).toEqual([expect.stringContaining('authsvc does not answer at')]);
    });
  });

  test('nuclearCacheClear clears everything except the remembered username, then reloads', async (t) => {
    const tab = await openTab(t, { path: '/app/deep/page' });
    await tab.page.evaluate(FILL);
    await tab.page.evaluate("document.cookie = 'deeper=1; path=/app/deep/'");
    await tab.page.evaluate("document.cookie = 'host=1; path=/; domain=localhost'");

    await Promise.all([tab.page.waitForNavigation(), tab.page.evaluate('void nuclearCacheClear()')]);

    expect(tab.page.url()).toBe(`${host.url}/app/deep/page`);
    expect(await tab.page.evaluate(KEPT)).toEqual(NOTHING_BUT_THE_NAME);
    expect(tab.dialogs).toEqual([]);
    expect(await isSignedIn(tab)).toBe(true);
  });

  test('nuclearCacheClear does not wait for a database that another tab has open', async (t) => {
    const tab = await openTab(t);
    await tab.page.evaluate(FILL);
    const other = await tab.context.newPage();
    await other.goto(`${host.url}/app`);
    await other.evaluate(
      "new Promise((resolve) => { const r = indexedDB.open('notes'); r.onsuccess = () => { window.held = r.result; resolve(); }; })",
    );

    await Promise.all([tab.page.waitForNavigation(), tab.page.evaluate('void nuclearCacheClear()')]);

    expect(await tab.page.evaluate('localStorage.draft')).toBeUndefined();
  });

  test('getCookieValue returns the decoded values of cookies that scripts may read', async (t) => {
    const { page } = await openTab(t);
    await page.evaluate("document.cookie = 'city=K%C3%B6ln%20am%20Rhein; path=/'");
    await page.evaluate("document.cookie = 'odd=100%; path=/'");
    await page.evaluate("document.cookie = 'pair=a=b; path=/'");

    const values = await page.evaluate(
      "['city', 'odd', 'pair', 'cit', 'session_id', 'last_login_method'].map((name) => getCookieValue(name) ?? null)",
    );

    expect(values).toEqual(['Köln am Rhein', '100%', 'a=b', null, null, 'password']);
  });

  test('loadpage opens only http and https URLs', async (t) => {
    const { page } = await openTab(t);
    const refusals =
      await page.evaluate(`['javascript:alert(1)', 'data:text/html,x', ' JavaScript:alert(1)'].map((address) => {
      try { loadpage(address); return 'went'; } catch (error) { return error.name; }
    })`);

    await Promise.all([page.waitForURL(`${host.url}/app/deep/page`), page.evaluate("loadpage('/app/deep/page')")]);

    expect(refusals).toEqual(['TypeError', 'TypeError', 'TypeError']);
  });

  test('formatDate uses the language of the page', async (t) => {
    const { page } = await openTab(t);
    const inLanguage = (language: string) =>
      page.evaluate(`document.documentElement.lang = '${language}', formatDate('2026-03-04T15:06:00Z')`);

    expect(await inLanguage('en')).toMatch(/^Mar 4, 2026, 3:06\sPM$/);
    expect(await inLanguage('de')).toBe('04.03.2026, 15:06');
    expect(await inLanguage('not-a-real-language-tag-at-all')).toMatch(/2026/);
    expect(await page.evaluate("['', 'never', NaN, undefined].map((date) => formatDate(date))")).toEqual([
      '',
      '',
      '',
      '',
    ]);
    expect(await page.evaluate('formatDate(new Date(0)) === formatDate(0)')).toBe(true);
  });

  test('reloadPage reloads the page', async (t) => {
    const { page } = await openTab(t);
    await page.evaluate('window.before = true');

    await Promise.all([page.waitForNavigation(), page.evaluate('void reloadPage()')]);

    expect(await page.evaluate('window.before')).toBeUndefined();
  });

  describe('checkSession', () => {
    test('says whether a person is signed in', async (t) => {
      const tab = await openTab(t);

      const signedIn = await tab.page.evaluate('checkSession()');
      await tab.context.clearCookies({ name: 'session_id' });
      const signedOut = await tab.page.evaluate('checkSession()');

      expect(signedIn).toEqual({ session_valid: true, expiry: expect.stringMatching(/^\d{4}-.*Z$/) });
      expect(signedOut).toEqual({ session_valid: false, expiry: null });
    });

    test.each([
      ['429', { status: 429, json: { success: false, message: 'Too many requests' } }],
      ['a failure of the service', { status: 500, json: { success: false } }],
      ['a page of a proxy', { status: 200, body: '<html>', contentType: 'text/html' }],
      ['JSON null', { status: 200, json: null }],
      ['no answer at all', undefined],
    ])('does not accept %s as an answer, and signs no one out', async (_what, reply) => {
      const own = await browser.newContext();
      const page = await own.newPage();
      await page.goto(`${host.url}/app`);
      await page.route('**/checkSession', (route) => (reply ? route.fulfill(reply) : route.abort()));
      await page.evaluate("document.cookie = 'kept=1; path=/'");

      const outcome = await page.evaluate("checkSession().then(() => 'an answer', () => 'no answer')");

      expect(outcome).toBe('no answer');
      expect([page.url(), await page.evaluate('document.cookie')]).toEqual([`${host.url}/app`, 'kept=1']);
      await own.close();
    });
  });
});
