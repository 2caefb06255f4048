import { mayUseApp } from '../users/user.ts';
import type { Application } from './application.ts';

/** The person or token, from a session or an API token. */
export interface ApplicationUser {
  role: string;
  allowedApps: readonly string[];
  /** The applications of a token; null: all of its user; undefined: no token. */
  ownApps?: readonly string[] | null;
}

/**
 * Whether a person may use an application: it is active, and the person is a superadmin, or has its key and one of its
 * roles. A token must list the key too.
 *
 * Every such check is made here, so that pages, proxies, clients and OpenID Connect never differ.
 *
 * @param user active
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
