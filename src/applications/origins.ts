import type { Services } from '../http/route.ts';
import type { Application } from './application.ts';
import { findRegistry } from './registry.ts';

type Needs = Pick<Services, 'database' | 'registryCache'>;

/**
 * Returns the active first-party applications with a URL of this origin. Third parties are left out, because they must not
 * learn who is signed in here.
 */
export async function ownApplicationsAt(services: Needs, origin: string): Promise<Application[]> {
  const { byOrigin } = await findRegistry(services);
  return (byOrigin.get(origin) ?? []).filter(({ isThirdParty }) => !isThirdParty);
}

/** Returns whether pages of an origin may learn who is signed in. */
export const isOwnOrigin = async (services: Needs, origin: string): Promise<boolean> =>
  (await ownApplicationsAt(services, origin)).length > 0;
