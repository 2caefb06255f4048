import type { Application } from '../applications/application.ts';
import { type ApplicationUser, mayUseApplication } from '../applications/may-use-application.ts';
import { ownApplicationsAt } from '../applications/origins.ts';
import { findRegistry } from '../applications/registry.ts';
import { AppError } from '../errors/app-error.ts';
import type { Services } from '../http/route.ts';

type Needs = Pick<Services, 'database' | 'registryCache'>;

/**
 * Returns the applications that a request asks about: the application with the given key or, without a key, the
 * registered applications at the origin of the request.
 *
 * @param key untrusted; undefined if the request has none
 * @returns undefined if the request asks about no application
 * @throws AppError APP_UNKNOWN if no active application has the key
 */
export async function askedApplications(
  services: Needs,
  key: unknown,
  origin: string | undefined,
): Promise<Application[] | undefined> {
  if (key !== undefined) {
    const { active } = await findRegistry(services);
    const application = typeof key === 'string' ? active.get(key.toLowerCase()) : undefined;
    if (!application) throw new AppError('APP_UNKNOWN');
    return [application];
  }
  const applications = origin === undefined ? [] : await ownApplicationsAt(services, origin);
  return applications.length > 0 ? applications : undefined;
}

/** Lists the active applications that a person may use, by name. */
export async function usableApplications(services: Needs, user: ApplicationUser): Promise<Application[]> {
  const { active } = await findRegistry(services);
  return [...active.values()]
    .filter((application) => mayUseApplication(user, application))
    .sort((a, b) => a.name.localeCompare(b.name) || (a.key < b.key ? -1 : 1));
}
