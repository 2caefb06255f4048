import { mayUseApp, type User } from '../users/user.ts';

type Owner = Pick<User, 'role' | 'allowedApps'>;

/**
 * The applications that a token is good for at this moment: its own, cut to those of its user.
 *
 * Needs   apps: null for a token that goes wherever its user may go.
 * Why     a token never has more than its user has now. A superadmin may go anywhere, so that nothing is cut.
 * Source  ASVS 5.0 10.3.1, 8.3.2
 */
export function tokenApps(apps: string[] | null, owner: Owner): string[] {
  if (apps === null) return owner.allowedApps;
  return apps.filter((app) => mayUseApp(owner, app));
}

/** Those of some applications that another list holds too. */
export const appsInBoth = (apps: readonly string[], others: readonly string[]): string[] =>
  apps.filter((app) => others.some((other) => other.toLowerCase() === app.toLowerCase()));

/** Whether a token opens one application at this moment. Names of applications are compared without case. */
export function opensApp(apps: string[] | null, owner: Owner, app: string): boolean {
  const isMeant = apps === null || apps.some((own) => own.toLowerCase() === app.toLowerCase());
  return isMeant && mayUseApp(owner, app);
}

/** Each application once, whatever its case. */
export const eachAppOnce = (apps: readonly string[]): string[] =>
  apps.filter((app, at) => apps.findIndex((other) => other.toLowerCase() === app.toLowerCase()) === at);
