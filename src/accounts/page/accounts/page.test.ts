import { expect, test } from 'vitest';
import { render, sampleOf } from '../../../../test/support/pages.ts';
import { accountsPage, type ListedAccount } from './page.ts';

const several = sampleOf(accountsPage, 'several');
const [current] = several.accounts;
if (!current) throw new Error('the sample has an account');
const other = { ...current, sessionId: 'other', username: 'bob', isCurrent: false };

const withAccounts = (...accounts: ListedAccount[]) => render(accountsPage, { ...several, accounts });

test('pictures are shown only if their address uses https', () => {
  const withPicture = (image: string) => withAccounts({ ...current, image });

  expect(withPicture('https://pictures.example/ada.png')).toContain('src="https://pictures.example/ada.png"');
  expect(withPicture('http://pictures.example/ada.png')).not.toContain('pictures.example');
  expect(withPicture('data:image/svg+xml,x')).not.toContain('data:image');
});

test('the button to sign out of all accounts appears only if there is more than one account', () => {
  const buttons = (...accounts: ListedAccount[]) =>
    ['logout', 'logout-all'].filter((id) => withAccounts(...accounts).includes(`id="${id}"`));

  expect(buttons(current)).toEqual(['logout']);
  expect(buttons(current, other)).toEqual(['logout', 'logout-all']);
  expect(buttons(other)).toEqual(['logout-all']);
});

test('each person in the list has a different colour', () => {
  const names = Array.from({ length: 12 }, (_, index) => `ada-${index}`);

  const html = withAccounts(...names.map((username) => ({ ...other, username })));

  const tones = [...html.matchAll(/avatar tone-(\d+)/g)].map(([, tone]) => tone);
  expect(new Set(tones).size).toBe(names.length);
});

test('without an account, the page links to the sign-in page and loads no page script', () => {
  const html = withAccounts();

  expect(html).toContain('href="/authsvc/login?redirect=');
  expect(html).not.toMatch(/<script[^>]*accounts/);
});
