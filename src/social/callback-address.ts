import type { Services } from '../http/route.ts';

export const callbackPath = (provider: string): string => `/authsvc/api/${provider}/login/callback`;

/**
 * The redirect_uri of a provider.
 *
 * Why     made from BASE_URL alone: a Host or X-Forwarded-Host header could lead the code elsewhere. Each provider has
 *         one of its own, so that none can pass for another (RFC 9700 §4.4.2).
 */
export const callbackAddress = (services: Pick<Services, 'baseUrl'>, provider: string): string =>
  services.baseUrl() + callbackPath(provider);
