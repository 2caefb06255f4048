import { mayUseApp, type User } from '../users/user.ts';

type Owner = Pick<User, 'role' | 'allowedApps'>;

/**
 * Returns the applications that a token is valid for now: those in its own list that its user may use too, or the list of
 * its user if it has none. A superadmin's token without a list of its own is valid for all applications.
 *
 * @param apps the list of the token; null if it is valid for all applications of its user
 * @see OWASP ASVS 5.0 10.3.1, 8.3.2
 */
export function tokenApps(apps: string[] | null, owner: Owner): string[] {
  if (apps === null) return owner.allowedApps;
  return apps.filter((app) => mayUseApp(owner, app));
}

/** Returns the applications that are in both lists, compared without case. */
export const appsInBoth = (apps: readonly string[], others: readonly string[]): string[] =>
  apps.filter((app) => others.some((other) => other.toLowerCase() === app.toLowerCase()));

interface TokenReach extends Owner {
  ownApps: string[] | null;
}

/**
 * Returns whether a token is valid for an application now. Application names are compared without case.
 *
 * @param token allowedApps: from `tokenApps`; role: the role of the token's user
 */
export const opensApp = ({ ownApps, allowedApps, role }: TokenReach, app: string): boolean =>
  ownApps === null ? mayUseApp({ role, allowedApps }, app) : appsInBoth(allowedApps, [app]).length > 0;

/** Removes duplicate application names, compared without case. */
export const eachAppOnce = (apps: readonly string[]): string[] =>
  apps.filter((app, at) => apps.findIndex((other) => other.toLowerCase() === app.toLowerCase()) === at);
