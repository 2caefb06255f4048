import { definePage } from '../../../ui/define-page.ts';
import type { Refusal } from '../../../ui/refusal.ts';
import type { RememberedAccounts } from '../../schemas.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

/** An account that this browser remembers. */
export interface ListedAccount {
  sessionId: string;
  username: string;
  fullName: string;
  isCurrent: boolean;
  /** The address of the picture, undefined if there is none. The page shows it only if it uses https. */
  image: string | undefined;
}

/** The data of the page, for its template. */
export interface AccountsPage {
  customURL: string;
  userLoggedIn: boolean;
  username: string;
  full_name: string;
  role: string;
  csrfToken: string;
  /** Why a switch to another account was refused; undefined if none was refused. */
  refusal: Refusal | undefined;
  accounts: ListedAccount[];
}

export const accountsPage = definePage({
  name: 'accounts',
  texts: { en, de },
  script: { ids: ['accounts', 'form-error'], isNeeded: true, showsRefusals: true },
  samples,
});

/** Returns the data of the page on which a person switches accounts. */
export function accountsPageData(
  { sessions, current }: RememberedAccounts,
  { customURL, csrfToken, refusal }: Pick<AccountsPage, 'customURL' | 'csrfToken' | 'refusal'>,
): AccountsPage {
  return {
    customURL,
    csrfToken,
    refusal,
    userLoggedIn: current !== undefined,
    username: current?.username ?? '',
    full_name: current?.fullName ?? '',
    role: current?.role ?? '',
    accounts: sessions.map(({ id, username, fullName, image }) => ({
      sessionId: id,
      username,
      fullName,
      isCurrent: id === current?.id,
      image: image.startsWith('https://') ? image : undefined,
    })),
  };
}
