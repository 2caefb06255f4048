import { mayUseApp, type User } from '../users/user.ts';

type Owner = Pick<User, 'role' | 'allowedApps'>;

/**
 * The applications that a token is valid for now: those of its own that its user has. A superadmin has all of them.
 *
 * @param apps null for a token that is valid for all applications of its user
 * @see OWASP ASVS 5.0 10.3.1, 8.3.2
 */
export function tokenApps(apps: string[] | null, owner: Owner): string[] {
  if (apps === null) return owner.allowedApps;
  return apps.filter((app) => mayUseApp(owner, app));
}

/** The applications that are in both lists. */
export const appsInBoth = (apps: readonly string[], others: readonly string[]): string[] =>
  apps.filter((app) => others.some((other) => other.toLowerCase() === app.toLowerCase()));

interface TokenReach extends Owner {
  ownApps: string[] | null;
}

/**
 * Whether a token is valid for an application now. Names of applications are compared without case.
 *
 * @param token allowedApps: from `tokenApps`; role: that of its user
 */
export const opensApp = ({ ownApps, allowedApps, role }: TokenReach, app: string): boolean =>
  ownApps === null ? mayUseApp({ role, allowedApps }, app) : appsInBoth(allowedApps, [app]).length > 0;

/** Removes duplicates, compared without case. */
export const eachAppOnce = (apps: readonly string[]): string[] =>
  apps.filter((app, at) => apps.findIndex((other) => other.toLowerCase() === app.toLowerCase()) === at);
