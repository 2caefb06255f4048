import type { Caller } from '../api-tokens/caller.ts';
import { usualScope } from '../api-tokens/token.ts';
import type { Application } from '../applications/application.ts';
import { mayUseApplication } from '../applications/may-use-application.ts';
import { findRegistry } from '../applications/registry.ts';
import { AppError } from '../errors/app-error.ts';
import type { Services } from '../http/route.ts';
import type { OriginalRequest } from './original-request.ts';

const READING = ['GET', 'HEAD', 'OPTIONS'];

/** The reason why an authenticated caller may not use an application. */
export type Refusal = 'APP_NOT_ALLOWED' | 'ROLE_NOT_ALLOWED' | 'TOKEN_READ_ONLY';

type Needs = Pick<Services, 'database' | 'registryCache'>;

/**
 * Finds the applications that a request is for: the one with the given key, or all applications with the origin of
 * the request.
 *
 * @param key untrusted key of the application; undefined if the proxy sent none
 * @returns undefined if no active application has the origin; every signed-in user may then pass
 * @throws AppError APP_UNKNOWN
 */
export async function guardedApplications(
  services: Needs,
  key: unknown,
  { origin }: OriginalRequest,
): Promise<readonly Application[] | undefined> {
  const { active, byOrigin } = await findRegistry(services);
  if (key === undefined) return byOrigin.get(origin);
  const application = typeof key === 'string' ? active.get(key.toLowerCase()) : undefined;
  if (!application) throw new AppError('APP_UNKNOWN');
  return [application];
}

/**
 * Decides whether a caller may use one of the applications.
 *
 * @param roles the caller needs one of these roles; an empty list allows every role
 * @returns the reason for a refusal, or undefined if the caller may pass
 */
export function refusalOf(
  caller: Caller,
  {
    applications,
    roles,
    method,
  }: { applications: readonly Application[] | undefined; roles: readonly string[]; method: string },
): Refusal | undefined {
  const mayUse = applications?.some((application) => mayUseApplication(caller, application)) ?? true;
  if (!mayUse) return 'APP_NOT_ALLOWED';
  const { role } = caller;
  if (roles.length > 0 && role !== 'superadmin' && !roles.includes(role)) return 'ROLE_NOT_ALLOWED';
  const onlyReads = caller.via === 'token' && usualScope(caller.scope) === 'read-only';
  return onlyReads && !READING.includes(method) ? 'TOKEN_READ_ONLY' : undefined;
}
