import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { errorNames, errorRegistry } from '../../src/errors/registry.ts';
import { commonErrors, errorsOf } from '../../src/http/route-errors.ts';
import { errorsDe } from '../../src/ui/texts/errors-de.ts';
import { errorsEn } from '../../src/ui/texts/errors-en.ts';
import { allRoutes } from '../../tools/docs/all-routes.ts';
import { errorsPage } from '../../tools/docs/errors.ts';
import { pageFolders } from '../support/pages.ts';

/** The paths to which the scripts of the pages send requests. */
const askedByScripts = new Set(
  pageFolders.flatMap((folder) => {
    const files = ['script.ts'].map((name) => join(folder, name));
    const code = files.map((file) => readOrEmpty(file)).join('');
    return [...code.matchAll(/'(\/(?:authsvc\/)?(?:api|db)\/[\w/-]+)'/g)].map(([, path = '']) => path);
  }),
);

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** The errors that people can see: those of pages, of URLs that a browser opens, and of requests that scripts send. */
const shownToPeople = [
  ...new Set([
    ...commonErrors,
    ...allRoutes
      .filter(({ kind, method, path }) => kind === 'page' || method === 'GET' || askedByScripts.has(path))
      .flatMap((route) => errorsOf(route)),
  ]),
];

test('the routes to which page scripts send requests are those in this list', () => {
  expect([...askedByScripts].sort()).toEqual([
    '/api/cli/device/approve',
    '/authsvc/api/2fa/enrol',
    '/authsvc/api/account/passkeys',
    '/authsvc/api/login',
    '/authsvc/api/logout',
    '/authsvc/api/logout-all',
    '/authsvc/api/passkey',
    '/authsvc/api/passkey/options',
    '/authsvc/api/switch-session',
    '/authsvc/api/verify-2fa',
    '/authsvc/api/welcome',
    '/authsvc/api/welcome/options',
    '/authsvc/db/reset',
  ]);
});

describe.each(shownToPeople)('%s', (name) => {
  test('has texts for people in both languages', () => {
    expect(errorsEn[name]).toBeDefined();
    expect(errorsDe[name]).toBeDefined();
  });

  test('contains no words that only programmers understand', () => {
    for (const words of [errorsEn[name], errorsDe[name]]) {
      expect(`${words?.message} ${words?.hint}`).not.toMatch(
        /CSRF|JSON|UUID|\bHTTP\b|header|Kopfzeile|_csrf|session_id|cross-site|2FA|expiresDays/i,
      );
    }
  });
});

test.each(errorNames)('docs/errors.md shows the message and the hint of %s', (name) => {
  const { number, status, message, hint } = errorRegistry[name];

  expect(errorsPage()).toContain(`| ${number} | \`${name}\` | ${status} | ${message} | ${hint} |`);
});

test('the example in docs/errors.md is a reply that is sent', () => {
  const [, example = '{}'] = /```json\n(.*?)```/s.exec(errorsPage()) ?? [];
  const { code, message, hint, error_code: number } = JSON.parse(example);
  const entry = errorNames.map((name) => ({ name, ...errorRegistry[name] })).find(({ name }) => name === code);

  expect(entry).toMatchObject({ message, hint, number });
});
