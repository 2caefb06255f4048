import type { SampleText } from '../../../ui/define-page.ts';
import type { AccountsPage, ListedAccount } from './page.ts';

export function samples(text: SampleText): Record<string, AccountsPage> {
  const ada: ListedAccount = {
    sessionId: text('c5a7c1e2-0b8d-4f0e-9d1c-6a1f2b3c4d5e'),
    username: text('ada'),
    fullName: text('Ada Lovelace'),
    isCurrent: true,
    image: undefined,
  };
  const grace: ListedAccount = {
    ...ada,
    username: text('grace.hopper@example.com'),
    fullName: text('Grace Brewster Murray Hopper'),
    isCurrent: false,
  };
  const several: AccountsPage = {
    customURL: `/${text('reports')}`,
    userLoggedIn: true,
    username: ada.username,
    full_name: ada.fullName,
    role: text('normaluser'),
    csrfToken: text('token'),
    refusal: undefined,
    accounts: [ada, grace],
  };
  const nobody: AccountsPage = { ...several, userLoggedIn: false, username: '', full_name: '', role: '', accounts: [] };
  return {
    several,
    refused: { ...several, refusal: { code: 'SESSION_EXPIRED' } },
    one: { ...several, accounts: [ada] },
    'signed-out': { ...nobody, accounts: [grace] },
    empty: nobody,
  };
}
