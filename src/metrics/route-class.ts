import type { AnyRoute } from '../http/route.ts';

/** The classes of routes. The durations of all requests of a class are measured together. */
export const routeClasses = ['check', 'sign_in', 'page', 'api', 'admin', 'oidc', 'file'] as const;
export type RouteClass = (typeof routeClasses)[number];

const ADMIN = /^(\/authsvc)?(\/api)?\/admin(\/|$)/;
const OIDC = /^\/(authsvc\/oidc|\.well-known\/openid)/;
/**
 * Matches the sign-in routes: passwords, codes, passkeys and links, and the start and callback of each identity
 * provider.
 */
const SIGN_IN = /^\/authsvc\/api\/(login|verify-2fa|2fa|passkey|welcome|[a-z0-9-]+\/login)(\/|$)/;

/** Returns the class of a route. */
export function routeClass({ path, kind, isCheck }: Pick<AnyRoute, 'path' | 'kind' | 'isCheck'>): RouteClass {
  if (isCheck) return 'check';
  if (ADMIN.test(path)) return 'admin';
  if (OIDC.test(path)) return 'oidc';
  if (SIGN_IN.test(path)) return 'sign_in';
  if (kind === 'page') return 'page';
  return kind === 'file' ? 'file' : 'api';
}
