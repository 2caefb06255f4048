import type { Application } from '../applications/application.ts';
import { findRegistry, type Registry } from '../applications/registry.ts';
import type { Services } from '../http/route.ts';

/** Returns the origin if a resource is exactly one origin. Returns undefined for any other text. */
function originOf(resource: string): string | undefined {
  if (!/^https?:\/\//i.test(resource) || !URL.canParse(resource)) return undefined;
  const { origin, pathname, search, username } = new URL(resource);
  return pathname === '/' && search === '' && username === '' && !resource.includes('#') ? origin : undefined;
}

/**
 * Returns whether a resource is the origin of an active application.
 *
 * @see RFC 8707
 */
export async function isResource(
  services: Pick<Services, 'database' | 'registryCache'>,
  resource: string,
): Promise<boolean> {
  const { byOrigin }: Registry = await findRegistry(services);
  const origin = originOf(resource);
  return origin !== undefined && byOrigin.has(origin);
}

/**
 * Returns whether a token's audience is the origin of one of this application's URLs. The application may then
 * introspect the token.
 */
export const isAudienceOf = ({ urls }: Application, audience: string): boolean => {
  const origin = originOf(audience);
  return origin !== undefined && urls.some((url) => new URL(url).origin === origin);
};
