import type { Services } from '../http/route.ts';
import type { Application } from './application.ts';
import { findRegistry } from './registry.ts';

type Needs = Pick<Services, 'database' | 'registryCache'>;

/** The active first-party applications with a URL of an origin. A third party does not learn who is signed in here. */
export async function ownApplicationsAt(services: Needs, origin: string): Promise<Application[]> {
  const { byOrigin } = await findRegistry(services);
  return (byOrigin.get(origin) ?? []).filter(({ isThirdParty }) => !isThirdParty);
}

/** Whether pages of an origin may learn who is signed in. */
export const isOwnOrigin = async (services: Needs, origin: string): Promise<boolean> =>
  (await ownApplicationsAt(services, origin)).length > 0;
