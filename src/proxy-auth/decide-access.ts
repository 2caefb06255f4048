import type { Caller } from '../api-tokens/caller.ts';
import { usualScope } from '../api-tokens/token.ts';
import type { Application } from '../applications/application.ts';
import { mayUseApplication } from '../applications/may-use-application.ts';
import { findRegistry } from '../applications/registry.ts';
import { AppError } from '../errors/app-error.ts';
import type { Services } from '../http/route.ts';
import type { OriginalRequest } from './original-request.ts';

const READING = ['GET', 'HEAD', 'OPTIONS'];

/** Why a visitor who is known may not pass. */
export type Refusal = 'APP_NOT_ALLOWED' | 'ROLE_NOT_ALLOWED' | 'TOKEN_READ_ONLY';

type Needs = Pick<Services, 'database' | 'registryCache'>;

/**
 * The applications that a request is for: the one of a key, else those with its origin.
 *
 * @param key untrusted; undefined: none is named
 * @returns undefined if no active application has the origin, so that anyone who is signed in may pass
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
 * Decides whether a caller may pass.
 *
 * @param roles any of them; none: every role
 * @returns the refusal: APP_NOT_ALLOWED, ROLE_NOT_ALLOWED, TOKEN_READ_ONLY; undefined: the caller may pass
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
