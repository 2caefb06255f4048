import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, type TestContext, test } from 'vitest';
import { addApplication } from '../../src/applications/add-application.ts';
import { accentSheet } from '../../src/ui/accent.ts';
import { freshDatabase } from '../support/each-database.ts';
import { startApp } from '../support/start-app.ts';

const GERMAN = { headers: { accept: 'text/html', 'accept-language': 'de' } };
/** Settings that give both built-in providers their buttons. */
const USABLE = {
  CODEHOST_LOGIN_ENABLED: 'true',
  CODEHOST_APP_CLIENT_ID: 'id',
  CODEHOST_APP_CLIENT_SECRET: 'secret',
  WEBSSO_LOGIN_ENABLED: 'true',
  WEBSSO_CLIENT_ID: 'id',
  WEBSSO_CLIENT_SECRET: 'secret',
};
const LOGO = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script><style>a{fill:red}</style></svg>';

function folderWith(t: TestContext, name: string, content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'authsvc-brand-'));
  t.onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, name), content);
  return folder;
}

describe('the look of the pages', () => {
  test('has the accent and the logo of the settings, at URLs that may be cached forever', async (t) => {
    const BRAND_LOGO = join(folderWith(t, 'logo.svg', LOGO), 'logo.svg');
    const app = await startApp(t, { database: 'sqlite', settings: { BRAND_ACCENT: '#f97316', BRAND_LOGO } });

    const { text } = await app.client().page('/authsvc/login');
    const [, logo = ''] = /<img class="logo is-for-light" src="([^"]+)"/.exec(text) ?? [];
    const [, sheet = ''] = /href="(\/authsvc\/brand\/[^"]+\.css)"/.exec(text) ?? [];
    const [picture, styles] = [await app.client().get(logo), await app.client().get(sheet)];

    expect(text).toContain(`<link rel="icon" href="${logo}" type="image/svg+xml; charset=utf-8">`);
    expect([picture.status, picture.text]).toEqual([200, LOGO]);
    expect(picture.headers['content-type']).toBe('image/svg+xml; charset=utf-8');
    expect(picture.headers['content-security-policy']).toBe("default-src 'none'; style-src 'unsafe-inline'; sandbox");
    expect(picture.headers['x-content-type-options']).toBe('nosniff');
    expect(styles.headers['content-type']).toBe('text/css; charset=utf-8');
    expect(styles.text).toMatch(/^:root\{--accent:#/);
    const other = await app.client().get('/authsvc/brand/logo.00000000.svg');
    expect([other.text, other.headers['cache-control']]).toEqual([LOGO, 'no-store']);
    for (const { headers } of [picture, styles]) {
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    }
  });

  test('also applies to the page for a proxy, which loads nothing from the host of an application', async (t) => {
    const folder = folderWith(t, 'logo.svg', LOGO);
    const settings = { BRAND_NAME: 'Nordlicht', BRAND_ACCENT: '#f97316', BRAND_LOGO: join(folder, 'logo.svg') };
    const app = await startApp(t, { database: 'sqlite', settings });
    const wiki = { key: 'wiki', name: 'Wiki', urls: ['https://wiki.example.test'] };
    await addApplication(app.change(), app.services.settings, wiki);
    const client = await app.signIn(await app.seedUser());

    const { text, headers } = await client.page('/authsvc/api/authz/forward-auth', {
      headers: {
        'x-forwarded-method': 'GET',
        'x-forwarded-proto': 'https',
        'x-forwarded-host': 'wiki.example.test',
        'x-forwarded-uri': '/',
      },
    });

    const [, style = ''] = /<style>([^<]*)<\/style>/.exec(text) ?? [];
    const [, logo = ''] = /<img class="logo is-for-light" src="([^"]+)"/.exec(text) ?? [];
    expect(style).toContain(accentSheet('#f97316'));
    expect(headers['content-security-policy']).toContain(
      `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    );
    expect(text).toContain('<span>Nordlicht</span>');
    expect(logo).toMatch(new RegExp(`^${app.services.baseUrl()}/authsvc/brand/logo\\.`));
    expect((await app.client().get(new URL(logo).pathname)).text).toBe(LOGO);
  });

  test('has a separate logo for dark pages', async (t) => {
    const folder = folderWith(t, 'logo.svg', LOGO);
    writeFileSync(join(folder, 'dark.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
    const settings = { BRAND_LOGO: join(folder, 'logo.svg'), BRAND_LOGO_DARK: join(folder, 'dark.svg') };
    const app = await startApp(t, { database: 'sqlite', settings });

    const { text } = await app.client().page('/authsvc/login');
    const [, dark = '', light = ''] =
      /<picture><source srcset="([^"]+)" media="\(prefers-color-scheme: dark\)"><img class="logo" src="([^"]+)"/.exec(
        text,
      ) ?? [];

    expect((await app.client().get(dark)).text).toBe('<svg xmlns="http://www.w3.org/2000/svg"/>');
    expect((await app.client().get(light)).text).toBe(LOGO);
  });

  test('a logo for dark pages alone is refused', async (t) => {
    const BRAND_LOGO_DARK = join(folderWith(t, 'dark.svg', LOGO), 'dark.svg');

    await expect(startApp(t, { database: 'sqlite', settings: { BRAND_LOGO_DARK } })).rejects.toThrow(/BRAND_LOGO: /);
  });

  test.for([
    [{}, true],
    [{ BRAND_NAME: 'Harbour' }, false],
    [{ BRAND_ACCENT: '#f97316' }, false],
  ] as const)('names the service and its version only on pages without a brand: %j', async ([settings, isNamed], t) => {
    const app = await startApp(t, { database: 'sqlite', settings });
    const pages = ['/authsvc/login', '/authsvc/ErrorCode', '/authsvc/nowhere'];

    for (const path of pages) {
      const { text } = await app.client().page(path);
      expect(/authsvc \d+\.\d+\.\d+/.test(text), path).toBe(isNamed);
    }
  });

  test('has a link to SUPPORT_URL on every page, and no such link without it', async (t) => {
    const helping = await startApp(t, {
      database: 'sqlite',
      settings: { SUPPORT_URL: 'https://help.example.com/?a=1&b=2' },
    });
    const usual = await startApp(t, { database: 'sqlite' });

    for (const path of ['/authsvc/login', '/authsvc/info', '/authsvc/nowhere']) {
      expect((await helping.client().page(path)).text).toContain(
        '<a href="https://help.example.com/?a=1&amp;b=2">Help</a>',
      );
      expect((await helping.client().get(path, GERMAN)).text).toContain('>Hilfe</a>');
      expect((await usual.client().page(path)).text).not.toContain('>Help</a>');
    }
  });

  test('is the default without settings, and then /authsvc/brand/ serves no file', async (t) => {
    const app = await startApp(t, { database: 'sqlite' });

    expect((await app.client().page('/authsvc/login')).text).not.toContain('/authsvc/brand/');
    for (const name of ['logo.svg', '..%2Fassets%2Fmanifest.json', '__proto__', 'constructor']) {
      expect((await app.client().get(`/authsvc/brand/${name}`)).status, name).toBe(404);
    }
  });

  test('shows BRAND_NAME, while APP_NAME decides who may sign in', async (t) => {
    const settings = { APP_NAME: 'portal', BRAND_NAME: 'Harbour & Sons' };
    const app = await startApp(t, { database: 'sqlite', settings });
    const client = app.client();

    const { text } = await client.page('/authsvc/login');
    const named = await client.login(await app.seedUser({ apps: ['portal'] }));
    const branded = await client.login(await app.seedUser({ apps: ['Harbour & Sons'] }));

    expect(text).toContain('to continue to Harbour &amp; Sons');
    expect(text).not.toContain('portal');
    expect([named.status, branded.status]).toEqual([200, 403]);
  });

  test('has the logos of the providers on their buttons, and the name inside the logo', async (t) => {
    const CODEHOST_LOGO = join(folderWith(t, 'code.svg', LOGO), 'code.svg');
    const settings = {
      ...USABLE,
      CODEHOST_LOGO,
      BRAND_LOGO: CODEHOST_LOGO,
      BRAND_LOGO_HAS_NAME: 'true',
    };
    const app = await startApp(t, { database: 'sqlite', settings });

    const { text } = await app.client().page('/authsvc/login');
    const [, logo = ''] = /<img class="provider-logo" src="([^"]+)"/.exec(text) ?? [];

    expect(text).toMatch(
      /<a class="brand" href="\/authsvc\/"><img class="logo is-for-light" src="[^"]+" alt="authsvc">\s*<\/a>/,
    );
    expect((await app.client().get(logo)).text).toBe(LOGO);
  });

  test('has the labels of the providers on their buttons, escaped', async (t) => {
    const settings = {
      ...USABLE,
      CODEHOST_LABEL: 'GitLab <b>',
      WEBSSO_LABEL: 'Firmenkonto',
    };
    const app = await startApp(t, { database: 'sqlite', settings });

    const { text } = await app.client().page('/authsvc/login', GERMAN);

    expect(text).toContain('Weiter mit GitLab &lt;b&gt;');
    expect(text).toContain('Weiter mit Firmenkonto');
  });

  test.each([
    ['auto', 'de', 'de'],
    ['auto', 'fr', 'en'],
    ['de', 'en', 'de'],
    ['en', 'de', 'en'],
  ])('with LANGUAGE=%s a browser that prefers %s gets %s', async (LANGUAGE, asked, got) => {
    const stops: (() => Promise<void>)[] = [];
    const owner = { onTestFinished: (stop: () => Promise<void>) => void stops.push(stop) };
    const app = await startApp(owner, { database: 'sqlite', settings: { LANGUAGE } });

    const { text } = await app.client().page('/authsvc/login', { headers: { 'accept-language': asked } });
    for (const stop of stops) await stop();

    expect(text).toContain(`<html lang="${got}"`);
  });

  test('uses the templates of the operator, and a broken template stops the start', async (t) => {
    const good = folderWith(
      t,
      'info.eta',
      "<% layout('./layout', { title: 'About us' }) %><h1>Ask <%= it.appName %></h1>",
    );
    const bad = folderWith(t, 'info.eta', '<%= it.none.of.this %>');
    const app = await startApp(t, { database: 'sqlite', settings: { TEMPLATES_FOLDER: good, APP_NAME: 'Harbour' } });

    const { text } = await app.client().page('/authsvc/info');
    const fresh = await freshDatabase('sqlite');
    t.onTestFinished(fresh.drop);
    const start = startApp(t, { database: fresh, settings: { TEMPLATES_FOLDER: bad } });

    expect(text).toContain('<h1>Ask Harbour</h1>');
    await expect(start).rejects.toThrow(/TEMPLATES_FOLDER: the page info cannot be rendered/);
    expect(existsSync(fresh.url.replace('sqlite:', ''))).toBe(false);
  });
});
