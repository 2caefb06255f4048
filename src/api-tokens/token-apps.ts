import { mayUseApp, type User } from '../users/user.ts';

type Owner = Pick<User, 'role' | 'allowedApps'>;

/**
 * The applications that a token is valid for now: its own, cut to those of its user. A superadmin may use any, so that
 * nothing is cut.
 *
 * @param apps null for a token that goes wherever its user may go
 * @see OWASP ASVS 5.0 10.3.1, 8.3.2
 */
export function tokenApps(apps: string[] | null, owner: Owner): string[] {
  if (apps === null) return owner.allowedApps;
  return apps.filter((app) => mayUseApp(owner, app));
}

/** Those of some applications that another list holds too. */
export const appsInBoth = (apps: readonly string[], others: readonly string[]): string[] =>
  apps.filter((app) => others.some((other) => other.toLowerCase() === app.toLowerCase()));

interface TokenReach extends Owner {
  ownApps: string[] | null;
}

/**
 * Whether a token opens one application now. Names of applications are compared without case.
 *
 * @param token allowedApps: as `tokenApps` cuts them; role: that of its user
 */
export const opensApp = ({ ownApps, allowedApps, role }: TokenReach, app: string): boolean =>
  ownApps === null ? mayUseApp({ role, allowedApps }, app) : appsInBoth(allowedApps, [app]).length > 0;

/** Each application once, whatever its case. */
export const eachAppOnce = (apps: readonly string[]): string[] =>
  apps.filter((app, at) => apps.findIndex((other) => other.toLowerCase() === app.toLowerCase()) === at);
