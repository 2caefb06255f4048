import type { PageData } from '../ui/render.ts';
import type { RememberedAccounts } from './schemas.ts';

/** What the page for switching accounts shows. */
export function accountsPage(
  { sessions, current }: RememberedAccounts,
  { customURL, csrfToken }: { customURL: string; csrfToken: string },
): PageData['accounts'] {
  return {
    customURL,
    csrfToken,
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
