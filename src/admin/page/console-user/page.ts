import { definePage } from '../../../ui/define-page.ts';
import type { UserReply } from '../../console-schemas.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

/** What the template needs. */
export interface ConsoleUserPage {
  user: UserReply['user'];
  /** The names of the audit log, the sessions and the tokens of the user. */
  links: { name: 'sessions' | 'tokens' | 'audit'; href: string }[];
}

export const consoleUserPage = definePage({ name: 'console-user', texts: { en, de }, samples });

/** What the page of one user shows. */
export const consoleUserPageData = (user: UserReply['user']): ConsoleUserPage => ({
  user,
  links: (['sessions', 'tokens', 'audit'] as const).map((name) => ({
    name,
    href: `/authsvc/admin/${name}?user_id=${user.id}`,
  })),
});
