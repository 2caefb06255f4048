import type { AnyRoute } from '../http/route.ts';

/** Kinds of requests whose times belong together. */
export const routeClasses = ['check', 'sign_in', 'page', 'api', 'admin', 'oidc', 'file'] as const;
export type RouteClass = (typeof routeClasses)[number];

const ADMIN = /^(\/authsvc)?(\/api)?\/admin(\/|$)/;
const OIDC = /^\/(authsvc\/oidc|\.well-known\/openid)/;
/** Passwords, codes, passkeys, links; and providers, each of which has a start and a callback. */
const SIGN_IN = /^\/authsvc\/api\/(login|verify-2fa|2fa|passkey|welcome|[a-z0-9-]+\/login)(\/|$)/;

/** The class of a route. */
export function routeClass({ path, kind, isCheck }: Pick<AnyRoute, 'path' | 'kind' | 'isCheck'>): RouteClass {
  if (isCheck) return 'check';
  if (ADMIN.test(path)) return 'admin';
  if (OIDC.test(path)) return 'oidc';
  if (SIGN_IN.test(path)) return 'sign_in';
  if (kind === 'page') return 'page';
  return kind === 'file' ? 'file' : 'api';
}
