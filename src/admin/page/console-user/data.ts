import type { UserReply } from '../../console-schemas.ts';

/** What the template needs. */
export interface ConsoleUserPage {
  user: UserReply['user'];
  /** The names of the audit log, the sessions and the tokens of the user. */
  links: { name: 'sessions' | 'tokens' | 'audit'; href: string }[];
  csrfToken: string;
  roles: readonly string[];
  /** The names of applications that need no warning; empty: none does. */
  knownApps: readonly string[];
  /** The names of the providers of which the user has no account. */
  providers: readonly string[];
  /** Whether the user can sign in in some way: then an invitation is refused. */
  hasWayIn: boolean;
  /** Whether the person who reads the page is this user. */
  isOwn: boolean;
  /** Whether links can be mailed to the user. */
  hasMail: boolean;
}

interface UserFacts {
  user: UserReply['user'];
  csrfToken: string;
  roles: readonly string[];
  /** From `listKnownApps`. */
  knownApps: readonly string[];
  /** The names of all providers. */
  providers: readonly string[];
  isOwn: boolean;
  /** Whether the service sends mail. */
  sendsMail: boolean;
}

/** What the page of one user shows. */
export const consoleUserPageData = ({ user, roles, providers, sendsMail, ...rest }: UserFacts): ConsoleUserPage => ({
  ...rest,
  user,
  roles: roles.includes(user.role) ? roles : [...roles, user.role],
  providers: providers.filter((name) => user.connections.every(({ provider }) => provider !== name)),
  hasMail: sendsMail && user.email !== null,
  hasWayIn: user.has_password || user.passkeys.length > 0 || user.connections.length > 0,
  links: (['sessions', 'tokens', 'audit'] as const).map((name) => ({
    name,
    href: `/authsvc/admin/${name}?user_id=${user.id}`,
  })),
});
