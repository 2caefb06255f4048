import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { createRenderer, type PageData, type TemplateName } from './render.ts';
import { type Language, languages } from './texts/languages.ts';

const templatesFolder = fileURLToPath(new URL('./templates', import.meta.url));
const asset = (name: string) => `/assets/${name}`;
const providerNames = { codehost: 'GitLab', websso: 'Company login' };
const renderer = createRenderer({ appName: 'Harbour', version: '1.2.3', providerNames, templatesFolder, asset });

/** One page of each template, with `text` in every field that somebody else can choose. */
function samples(text: string): PageData {
  const account = { sessionId: text, username: text, fullName: text, image: `https://${text}` };
  return {
    login: {
      codehostLoginEnabled: true,
      webssoLoginEnabled: true,
      customURL: `/${text}`,
      userLoggedIn: true,
      username: text,
      csrfToken: text,
      beginAgain: 'guesses',
      lastLoginMethod: 'codehost',
      lastLoginPassword: false,
      lastLoginCodehost: true,
      lastLoginWebsso: false,
    },
    'two-factor': { csrfToken: text, trustDeviceDays: 7, username: text, triesLeft: 5 },
    test: {
      userId: 42,
      username: text,
      fullName: text,
      role: text,
      sessionId: text,
      expiresAt: text,
      csrfToken: text,
      image: text,
    },
    accounts: {
      customURL: `/${text}`,
      userLoggedIn: true,
      username: text,
      full_name: text,
      role: text,
      csrfToken: text,
      accounts: [
        { ...account, isCurrent: true },
        { ...account, isCurrent: false },
      ],
    },
    device: {
      state: 'pending',
      request: {
        userCode: text,
        clientName: text,
        profileName: text,
        scope: 'write',
        apps: [text],
        expiresInDays: 1,
        address: text,
        createdAt: text,
        expiresAt: text,
        username: text,
        fullName: text,
        hasImage: true,
      },
    },
    error: {
      status: 403,
      title: text,
      message: text,
      code: text,
      errorCode: 901,
      hint: text,
      requestId: text,
      goOn: { path: `/${text}`, words: 'signIn' },
      provider: 'codehost',
      providerAccount: text,
    },
    'query-monitor': {
      limit: 50,
      count: 2,
      mayReset: true,
      wasReset: true,
      requests: [{ id: text, method: text, url: text, queries: 2, durationMs: 1.5 }],
      queries: [
        {
          number: 2,
          time: '2026-01-02T03:04:05.006Z',
          name: text,
          query: text,
          values: [text],
          durationMs: 1.25,
          success: false,
          error: text,
          requestId: text,
          ofRequest: 2,
          request: { method: text, url: text, ip: text, user_id: 7, username: text },
          pool: { total: 1, idle: 1, waiting: 0 },
          callsite: { function: text, file: text, line: 1, column: 2 },
        },
      ],
    },
    info: {
      latestVersion: text,
      updateAvailable: true,
      settings: [
        { key: text, value: text },
        { key: 'IS_DEPLOYED', value: false },
        { key: 'DOMAIN', value: undefined },
      ],
    },
    'error-list': {
      categories: [
        {
          name: text,
          range: text,
          entries: [{ name: text, number: 601, status: 401, message: text, hint: text }],
        },
      ],
    },
  };
}

const plain = samples('ada');
const templates: TemplateName[] = [
  'login',
  'two-factor',
  'test',
  'accounts',
  'error',
  'error-list',
  'info',
  'query-monitor',
];
const tongues: Language[] = ['en', 'de'];

function page<Name extends TemplateName>(name: Name, data: PageData[Name], language: Language = 'en'): string {
  return renderer.page(name, data, { language });
}

describe.each(templates)('the %s page', (name) => {
  test('never lets markup of a value through', () => {
    const html = page(name, samples(`zq"'><i>&`)[name]);

    expect(html).not.toContain('<i>');
    expect(html).not.toMatch(/zq["']/);
    expect(html).toContain('&gt;');
  });

  test('holds nothing that the content security policy forbids', () => {
    const html = page(name, plain[name]);

    expect(html).not.toMatch(/<style|\sstyle=|\son[a-z]+=|javascript:/i);
    for (const [tag, inside] of html.matchAll(/<script\b[^>]*>(.*?)<\/script>/gs)) {
      expect(tag).toMatch(/^<script type="module" src="\/assets\//);
      expect(inside).toBe('');
    }
  });

  test('gives each element an id of its own', () => {
    const ids = [...page(name, plain[name]).matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id);

    expect(ids).toEqual([...new Set(ids)]);
  });

  test.each(tongues)('has one heading, a title and no hole in it (%s)', (language) => {
    const html = page(name, plain[name], language);

    expect(html).toContain(`<html lang="${language}" dir="ltr">`);
    expect(html.match(/<h1/g)).toHaveLength(1);
    expect(html).toMatch(/<title>[^<]+ · Harbour<\/title>/);
    expect(html).not.toMatch(/undefined|\[object|NaN/);
  });
});

test('every attribute of every template is quoted', () => {
  const files = readdirSync(templatesFolder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.eta'),
  );

  expect(files.length).toBeGreaterThan(templates.length);
  for (const file of files) {
    const text = readFileSync(`${templatesFolder}/${file}`, 'utf8');
    expect(text, file).not.toMatch(/\s[a-z-]+=<%/);
  }
});

describe('the login page', () => {
  test('leads to a provider only where it is enabled, and takes the destination along', () => {
    const html = page('login', { ...plain.login, customURL: '/a?b=1&c=2', webssoLoginEnabled: false });

    expect(html).toContain('href="/authsvc/api/codehost/login?redirect=%2Fa%3Fb%3D1%26c%3D2"');
    expect(html).not.toContain('/authsvc/api/websso/login');
  });

  test('marks the method that was used last, and no other', () => {
    const html = page('login', plain.login);

    expect(html.match(/Last used/g)).toHaveLength(1);
    expect(html.indexOf('Last used')).toBeGreaterThan(html.indexOf('/api/codehost/login'));
    expect(html.indexOf('Last used')).toBeLessThan(html.indexOf('/api/websso/login'));
  });

  test('never sends a password in an address, even before its script runs', () => {
    expect(page('login', plain.login)).toMatch(/<form[^>]* method="post"/);
  });
});

test('the second step offers to trust the device only where devices are trusted', () => {
  expect(page('two-factor', plain['two-factor'])).toContain('name="trust_device"');
  expect(page('two-factor', { ...plain['two-factor'], trustDeviceDays: 0 })).not.toContain('trust_device"');
});

test('the accounts page shows pictures of https addresses only', () => {
  const [current] = plain.accounts.accounts;
  if (!current) throw new Error('the sample has an account');
  const withPicture = (image: string) => page('accounts', { ...plain.accounts, accounts: [{ ...current, image }] });

  expect(withPicture('https://pictures.example/ada.png')).toContain('src="https://pictures.example/ada.png"');
  expect(withPicture('http://pictures.example/ada.png')).not.toContain('pictures.example');
  expect(withPicture('data:image/svg+xml,x')).not.toContain('data:image');
});

test('the accounts page without accounts leads to the sign-in page and loads no script', () => {
  const html = page('accounts', { ...plain.accounts, accounts: [] });

  expect(html).toContain('href="/authsvc/login"');
  expect(html).not.toContain('<script');
});

test('an error page speaks the language of the reader where the refusal is known', () => {
  const refusal = { ...plain.error, code: 'ACCOUNT_INACTIVE', message: 'Account is inactive', hint: 'Ask.' };

  expect(page('error', refusal, 'en')).toContain('Account is inactive');
  expect(page('error', refusal, 'de')).toContain(languages.de.errors.ACCOUNT_INACTIVE?.message);
});
