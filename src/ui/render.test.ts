import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { errorNames, errorRegistry } from '../errors/registry.ts';
import { createRenderer, type PageData, type TemplateName } from './render.ts';
import { samplePages } from './sample-pages.ts';
import { type Language, languages } from './texts/languages.ts';

const templatesFolder = fileURLToPath(new URL('./templates', import.meta.url));
const asset = (name: string) => `/assets/${name}`;
const providerNames = { codehost: 'GitLab', websso: 'Company login' };
const brand = { styles: undefined, logo: undefined, providerLogos: { codehost: undefined, websso: undefined } };
const renderer = createRenderer({
  appName: 'Harbour',
  version: '1.2.3',
  providerNames,
  home: '/',
  brand,
  templatesFolder,
  asset,
});

/** One page of each template, with `text` in every field that somebody else can choose. */
const samples = (text: string) => {
  const pages = samplePages(text);
  return {
    login: pages.login[0],
    'two-factor': pages['two-factor'][0],
    test: pages.test[0],
    accounts: pages.accounts[0],
    device: pages.device[0],
    error: pages.error[0],
    'error-list': pages['error-list'][0],
    info: pages.info[0],
    'query-monitor': pages['query-monitor'][0],
  } satisfies PageData;
};

const plain = samples('ada');
const templates: TemplateName[] = [
  'login',
  'two-factor',
  'test',
  'accounts',
  'device',
  'error',
  'error-list',
  'info',
  'query-monitor',
];
const tongues: Language[] = ['en', 'de'];

const plainText = (html: string) => html.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&');

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
    expect(html.replace(/<section[^>]* hidden>.*?<\/section>/gs, '').match(/<h1/g)).toHaveLength(1);
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
    const html = page('login', { ...plain.login, userLoggedIn: false });

    expect(html.match(/Last used/g)).toHaveLength(1);
    expect(html.indexOf('Last used')).toBeGreaterThan(html.indexOf('/api/codehost/login'));
    expect(html.indexOf('Last used')).toBeLessThan(html.indexOf('/api/websso/login'));
  });

  test('marks none for somebody who is signed in', () => {
    expect(page('login', plain.login)).not.toContain('Last used');
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

test('the accounts page offers to log out of all only where that is more than logging out', () => {
  const [current] = plain.accounts.accounts;
  if (!current) throw new Error('the sample has an account');
  const other = { ...current, sessionId: 'other', username: 'bob', isCurrent: false };
  const buttons = (accounts: (typeof current)[]) =>
    ['logout', 'logout-all'].filter((id) => page('accounts', { ...plain.accounts, accounts }).includes(`id="${id}"`));

  expect(buttons([current])).toEqual(['logout']);
  expect(buttons([current, other])).toEqual(['logout', 'logout-all']);
  expect(buttons([other])).toEqual(['logout-all']);
});

test('people in one list have a colour each', () => {
  const [current] = plain.accounts.accounts;
  if (!current) throw new Error('the sample has an account');
  const names = Array.from({ length: 12 }, (_, index) => `ada-${index}`);
  const accounts = names.map((username) => ({ ...current, username, isCurrent: false }));

  const tones = [...page('accounts', { ...plain.accounts, accounts }).matchAll(/avatar tone-(\d+)/g)];

  expect(new Set(tones.map(([, tone]) => tone)).size).toBe(names.length);
});

test('the accounts page without accounts leads to the sign-in page and loads no script', () => {
  const html = page('accounts', { ...plain.accounts, accounts: [] });

  expect(html).toContain('href="/authsvc/login?redirect=');
  expect(html).not.toContain('<script');
});

test.each(errorNames)(
  'the error page of %s says in its heading what went wrong, and below it only what to do',
  (code) => {
    const { number, ...entry } = errorRegistry[code];
    for (const language of tongues) {
      const { plainErrors } = languages[language].texts;
      const plainer = new Map<string, { message: string; hint: string }>(Object.entries(plainErrors)).get(code);
      const { message, hint } = plainer ?? languages[language].errors[code] ?? entry;

      const html = page('error', { ...entry, code, errorCode: number, requestId: 'r-1' }, language);

      const words = html.replace(/^.*<main[^>]*>|<\/main>.*$/gs, '').replace(/<[^>]*>/g, '\n');
      const lines = words.split('\n').filter((line) => line.trim() !== '');
      expect(lines.slice(0, 2).map(plainText)).toEqual([message, hint]);
      expect(lines).toEqual([...new Set(lines)]);
    }
  },
);

test('an error page says how long to wait', () => {
  const refusal = { ...plain.error, code: 'TOO_MANY_REQUESTS', status: 429 };
  const waits = (waitSeconds: number) =>
    tongues.map((language) => /id="wait"[^>]*>([^<]*)/.exec(page('error', { ...refusal, waitSeconds }, language))?.[1]);

  expect(waits(1)).toEqual(['Try again in 1 second', 'Neuer Versuch in 1 Sekunde']);
  expect(waits(43)).toEqual(['Try again in 43 seconds', 'Neuer Versuch in 43 Sekunden']);
  expect(waits(60)).toEqual(['Try again in 1 minute', 'Neuer Versuch in 1 Minute']);
  expect(waits(241)).toEqual(['Try again in 5 minutes', 'Neuer Versuch in 5 Minuten']);
});

test('an error page speaks the language of the reader where the refusal is known', () => {
  const refusal = { ...plain.error, code: 'ACCOUNT_INACTIVE', message: 'Account is inactive', hint: 'Ask.' };

  expect(page('error', refusal, 'en')).toContain('Account is inactive');
  expect(page('error', refusal, 'de')).toContain(languages.de.errors.ACCOUNT_INACTIVE?.message);
});

test('what is for support is unfolded only where somebody has to be told of it', () => {
  const opened = (refusal: Partial<PageData['error']>) => {
    const { message, code, errorCode, hint, requestId } = plain.error;
    const bare = { status: 403, message, code, errorCode, hint, requestId };
    return page('error', { ...bare, ...refusal }).includes('<details class="small-print" open>');
  };

  expect(opened({ status: 404 })).toBe(false);
  expect(opened({ status: 500 })).toBe(true);
  expect(opened({ status: 403, providerAccount: '583231' })).toBe(true);
});
