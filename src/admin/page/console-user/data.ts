import type { UserReply } from '../../console-schemas.ts';

/** The data of the page, for its template. */
export interface ConsoleUserPage {
  user: UserReply['user'];
  /** Links to the user's sessions, tokens and audit events. */
  links: { name: 'sessions' | 'tokens' | 'audit'; href: string }[];
  csrfToken: string;
  roles: readonly string[];
  /** Application names that the form accepts without a warning. If the list is empty, the form never warns. */
  knownApps: readonly string[];
  /** The value of APP_NAME: the application that a user must have to sign in. */
  ownApp: string;
  /** The names of the providers at which the user has no account. */
  providers: readonly string[];
  /** Whether the user has a password, a passkey or a linked account, even one that cannot be used at the moment. */
  hasWayIn: boolean;
  /** Whether the page shows the signed-in superadmin's own account. */
  isOwn: boolean;
  /** Whether the service can mail links to the user. */
  hasMail: boolean;
}

interface UserFacts {
  user: UserReply['user'];
  csrfToken: string;
  roles: readonly string[];
  /** From `listKnownApps`. */
  knownApps: readonly string[];
  ownApp: string;
  /** The names of all providers. */
  providers: readonly string[];
  isOwn: boolean;
  /** Whether the service sends mail. */
  sendsMail: boolean;
}

/** Returns the data of the page of one user. */
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
