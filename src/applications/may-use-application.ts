import { mayUseApp } from '../users/user.ts';
import type { Application } from './application.ts';

/** A person, or a person's API token, who wants to use an application. */
export interface ApplicationUser {
  role: string;
  allowedApps: readonly string[];
  /**
   * With an API token: the applications that the token lists, or null if it is valid for all applications of its user.
   * Undefined without a token.
   */
  ownApps?: readonly string[] | null;
}

/**
 * Returns whether a person may use an application. The application must be active. The person must be a superadmin, or have
 * the application's key and one of its roles. An API token must list the key too.
 *
 * Every check of this kind uses this function, so that pages, proxies, clients and OpenID Connect always agree.
 *
 * @param user a user who is active
 */
export function mayUseApplication(
  { role, allowedApps, ownApps }: ApplicationUser,
  { key, roles, disabledAt }: Pick<Application, 'key' | 'roles' | 'disabledAt'>,
): boolean {
  if (disabledAt !== null) return false;
  if (ownApps && !ownApps.some((own) => own.toLowerCase() === key)) return false;
  const hasRole = roles.length === 0 || role === 'superadmin' || roles.includes(role);
  return hasRole && mayUseApp({ role, allowedApps }, key);
}
