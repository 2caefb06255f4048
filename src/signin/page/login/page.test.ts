import { expect, test } from 'vitest';
import { render, sampleOf } from '../../../../test/support/pages.ts';
import { loginPage } from './page.ts';

const anonymous = sampleOf(loginPage, 'anonymous');

test('the login page shows the usable providers, and keeps the destination in their links', () => {
  const providers = [{ name: 'codehost', wasLast: false }];
  const html = render(loginPage, { ...anonymous, customURL: '/a?b=1&c=2', providers });

  expect(html).toContain('href="/authsvc/api/codehost/login?redirect=%2Fa%3Fb%3D1%26c%3D2"');
  expect(html).not.toContain('/authsvc/api/websso/login');
});

test('the login page marks only the method that was used last', () => {
  const html = render(loginPage, sampleOf(loginPage, 'last-used'));

  expect(html.match(/Last used/g)).toHaveLength(1);
  expect(html.indexOf('Last used')).toBeGreaterThan(html.indexOf('/api/codehost/login'));
  expect(html.indexOf('Last used')).toBeLessThan(html.indexOf('/api/websso/login'));
});

test('the login page marks no method for a person who is signed in', () => {
  const { providers } = sampleOf(loginPage, 'last-used');
  const data = { ...sampleOf(loginPage, 'signed-in'), providers, lastLoginMethod: 'codehost', lastLoginCodehost: true };

  expect(render(loginPage, data)).not.toContain('Last used');
});

test('the login page never sends a password in a URL, even if its script has not run', () => {
  expect(render(loginPage, anonymous)).toMatch(/<form[^>]* method="post"/);
});
